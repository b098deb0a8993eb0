import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorShape, type HostileTarget, houseErrors, sendHostile } from '#test-kit'
import { ADMIN_KEY, webhookSuite } from './support.ts'

/** One body of this area has a form that Doc 1 §4.2 shows. */
const webhookErrors: ErrorShape = (answer) => {
  const { status, json } = answer
  const isNamed = typeof json === 'object' && json !== null && 'invalid_events' in json
  if (status !== 422 || !isNamed) return houseErrors(answer)
  return Array.isArray(json.invalid_events) ? undefined : 'invalid_events is no list'
}

const LIST = ['page', 'per_page', 'after_id', 'limit', 'sort', 'order', 'consumer_id']
const SUBSCRIPTION = {
  ...{ events: ['order.created'], event_patterns: ['order.*'], description: 'x', is_active: true },
  ...{ headers: { Authorization: 'x' }, timeout_seconds: 1, include_entry: true },
  filter: [{ path: 'a.b', op: 'in', value: [1, 'x'] }],
}
const TYPE = {
  ...{ description: 'x', example_payload: { a: 1 }, is_active: true, visibility: 'all' },
  schema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: {} } },
}
const EVENT = { event_type: 'order.created', payload: { a: 1 }, occurred_at: null }

interface Ids {
  readonly subscription: string
  readonly delivery: string
  readonly event: string
  readonly type: string
  /** Nothing is listening there. */
  readonly endpoint: string
}

function targetsOf({ subscription, delivery, event, type, endpoint }: Ids): HostileTarget[] {
  const own = { ids: [subscription] }
  const below = '/webhooks/subscriptions/{id}'
  const wished = { ...SUBSCRIPTION, endpoint_url: endpoint }
  return [
    {
      method: 'POST',
      path: '/webhooks/subscriptions',
      body: { ...wished, secret: 'x'.repeat(32) },
    },
    {
      ...{ method: 'GET', path: '/webhooks/subscriptions' },
      query: [...LIST, 'is_active', 'event', 'endpoint_url', 'created_after'],
    },
    { method: 'GET', path: below, ...own },
    { method: 'PATCH', path: below, ...own, body: { ...wished, held_deliveries: 'release' } },
    { method: 'POST', path: `${below}/rotate-secret`, ...own, body: {} },
    { method: 'POST', path: `${below}/verify`, ...own, body: { headers: { a: 'b' }, body: 'x' } },
    { method: 'POST', path: `${below}/test`, ...own, body: { event_type: 'order.created' } },
    {
      ...{ method: 'GET', path: `${below}/deliveries`, ...own },
      query: [...LIST, 'status', 'event_type', 'created_before', 'is_test', 'include'],
    },
    { method: 'GET', path: `${below}/deliveries/{delivery}`, ids: [subscription, delivery] },
    {
      ...{ method: 'POST', path: `${below}/deliveries/{delivery}/resend` },
      ids: [subscription, delivery],
    },
    { method: 'GET', path: `${below}/stats`, ...own },
    {
      ...{ method: 'POST', path: `${below}/replay`, ...own },
      body: { since: '2026-01-01T00:00:00Z', until: null, scope: 'all', event_types: [] },
    },
    { method: 'GET', path: `${below}/replays/{replay}`, ids: [subscription, delivery] },
    {
      ...{ method: 'GET', path: '/webhooks/deliveries' },
      query: [...LIST, 'event_id', 'status', 'event_type', 'is_test', 'include'],
    },
    { method: 'GET', path: '/webhooks/event-types', query: [...LIST, 'include_inactive'] },
    { method: 'POST', path: '/webhooks/event-types', body: { name: 'hostile.made', ...TYPE } },
    { method: 'GET', path: '/webhooks/event-types/{name}', ids: [type] },
    { method: 'PATCH', path: '/webhooks/event-types/{name}', ids: [type], body: TYPE },
    { method: 'POST', path: '/webhooks/events', body: { ...EVENT, consumer_id: null } },
    { method: 'POST', path: '/webhooks/events', body: { event_type: type, payload: { a: 1 } } },
    { method: 'POST', path: '/webhooks/events/batch', body: { events: [EVENT, EVENT] } },
    {
      ...{ method: 'GET', path: '/webhooks/events' },
      query: [...LIST, 'event_type', 'created_after', 'created_before'],
    },
    { method: 'GET', path: '/webhooks/events/{id}', ids: [event] },
    { method: 'GET', path: '/webhooks/notifications', query: LIST },
    { method: 'POST', path: '/webhooks/notifications/{id}/read', ids: [delivery] },
    {
      ...{ method: 'POST', path: '/api/v1/webhooks', query: ['url', 'events'] },
      body: { url: endpoint, events: ['run.completed'] },
    },
    { method: 'GET', path: '/api/v1/webhooks', query: LIST },
    { method: 'GET', path: '/api/v1/webhooks/{id}', ids: [1, 2] },
    { method: 'DELETE', path: '/api/v1/webhooks/{id}', ids: [900_000] },
  ]
}

/** So many requests that no honest client sends, each answered as the contract says. */
export function hostileWebhooks(count: number, seed: number) {
  return webhookSuite('hostile requests', (api) => {
    test(`webhooks finding 12: ${count} hostile requests, no 500, every error in shape`, async () => {
      const { must, receiver } = api
      const type = 'hostile.target'
      await must('POST', '/webhooks/event-types', { body: { name: type, ...TYPE } })
      const { key } = await api.createKey('admin')
      const { id: subscription } = await api.subscribe(receiver().url, {}, key)
      const { data } = await api.deliveries(subscription, '', key)
      const { id: event } = await api.publish()
      const ids = { subscription, delivery: data[0].id, event, type, endpoint: receiver().url }
      const attack = { url: api.server().url, targets: targetsOf(ids), shape: webhookErrors }
      const half = Math.ceil(count / 2)
      const asOwner = await sendHostile({
        ...{ ...attack, count: half, seed },
        headers: { 'x-api-key': key },
      })
      const asAdmin = await sendHostile({
        ...{ ...attack, count: count - half, seed: seed + 1 },
        headers: { 'x-api-key': ADMIN_KEY },
      })
      for (const statuses of [asOwner, asAdmin]) {
        assert.ok((statuses.get(400) ?? 0) > 0)
        assert.ok([...statuses.keys()].some((status) => status < 300))
      }
      // Whatever came to be of them, events still reach whoever subscribes.
      await api.subscribe(`${receiver().url}/after`, { events: ['order.updated'] })
      await api.publish({ after: true }, { event_type: 'order.updated' })
      await receiver().waitFor('/after', 1)
    })
  })
}
