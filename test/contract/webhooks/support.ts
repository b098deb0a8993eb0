import { AsyncResource } from 'node:async_hooks'
import { after, before, describe } from 'node:test'
import {
  type DatabaseKind,
  installation,
  shareServer,
  startServer,
  type TestServer,
  until,
} from '#test-kit'
import { type Receiver, startReceiver } from './receiver.ts'

export const ADMIN_KEY = `sk_${'Admin0'.repeat(8)}`
export const LOOPBACK = { ENTREPOT_WEBHOOKS_ALLOW_NETS: '127.0.0.0/8,::1/128' }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed when it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export interface Sent {
  /** The admin's when absent, none when null. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly text?: string
  readonly headers?: Record<string, string>
}

/** What the shared server is told: it differs from step to step. */
export const SCHEDULE_S = [10, 60]

/** One server and one receiver for all tests of a `describe`. */
export function webhookServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...LOOPBACK, ...extra })),
  )
  return { server, receiver: shareReceiver(), ...caller(() => server().url) }
}

type WebhookServer = ReturnType<typeof webhookServer>

/**
 * Tests on a server they share with others: they have a receiver of their own and afterwards nobody
 * listens to events any more, and the clock is as it was.
 */
export function webhookSuite(name: string, define: (api: WebhookServer) => void) {
  return (server: () => TestServer) =>
    describe(name, () => {
      const api = { server, receiver: shareReceiver(), ...caller(() => server().url) }
      after(async () => {
        await server().setClockOffset(0)
        await api.silence()
      })
      define(api)
    })
}

function shareReceiver(): () => Receiver {
  let listening: Receiver | undefined
  // What a hook starts ends with the hook; bound here, it belongs to the `describe`.
  const start = AsyncResource.bind(async () => {
    listening = await startReceiver()
  })
  before(start)
  return () => {
    if (!listening) throw new Error('not started yet')
    return listening
  }
}

/** Shorthands for calls of one server. */
export function caller(url: () => string) {
  const consumers: string[] = []
  return {
    call,
    get,
    post,
    patch,
    remove,
    must,
    createKey,
    subscribe,
    publish,
    deliveries,
    settled,
    silence,
  }

  async function call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const { key = ADMIN_KEY, body, text } = sent
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await fetch(`${url()}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const answered = await answer.text()
    return { status: answer.status, headers: answer.headers, text: answered, body: parse(answered) }
  }

  function get(path: string, sent: Sent = {}) {
    return call('GET', path, sent)
  }

  function post(path: string, body?: unknown, sent: Sent = {}) {
    return call('POST', path, { ...sent, body })
  }

  function patch(path: string, body: unknown, sent: Sent = {}) {
    return call('PATCH', path, { ...sent, body })
  }

  function remove(path: string, sent: Sent = {}) {
    return call('DELETE', path, sent)
  }

  /** The body of a call that must succeed. */
  async function must(method: string, path: string, sent: Sent = {}) {
    const answer = await call(method, path, sent)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** A new user with a key of the level; returns the key and the consumer's id. */
  async function createKey(access: 'read' | 'write' | 'admin' = 'read') {
    const email = `user${Math.random().toString(36).slice(2)}@example.org`
    const { data: user } = await must('POST', '/api/v1/users', { body: { email, access } })
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    const { data: plan } = await must('POST', '/api/v1/plans', { body: figures })
    const asked = { plan_id: plan.id, user_id: user.id, access }
    const { data } = await must('POST', '/api/v1/keys', { body: asked })
    consumers.push(user.uuid)
    const { key, id: keyId }: { key: string; id: number } = data
    return { key, keyId, consumerId: user.uuid as string, userId: user.id, email }
  }

  /** Removes the subscriptions of the admin and of everybody who was given a key here. */
  async function silence() {
    for (const query of ['', ...consumers.map((id) => `&consumer_id=${id}`)]) {
      for (;;) {
        const list = await get(`/webhooks/subscriptions?per_page=100${query}`)
        const found: readonly { readonly id: string }[] = list.body.data ?? []
        const path = (id: string) => `/webhooks/subscriptions/${id}?${query.slice(1)}`
        await Promise.all(found.map(({ id }) => remove(path(id))))
        if (found.length < 100) break
      }
    }
  }

  /** Subscribes and waits until the test delivery of the creation is over. */
  async function subscribe(endpoint: string, more: Record<string, unknown> = {}, key?: string) {
    const sent = key === undefined ? {} : { key }
    const body = { endpoint_url: endpoint, events: ['order.created'], ...more }
    const created = await must('POST', '/webhooks/subscriptions', { ...sent, body })
    await until(async () => {
      const { data } = await deliveries(created.id, '?is_test=true', key)
      return data[0]?.attempt_count > 0
    })
    return created as { id: string; secret: string; created_at: string }
  }

  async function publish(payload: unknown = {}, more: Record<string, unknown> = {}, key?: string) {
    const body = { event_type: 'order.created', payload, ...more }
    const sent = key === undefined ? {} : { key }
    return must('POST', '/webhooks/events', { ...sent, body })
  }

  function deliveries(id: string, query = '', key?: string) {
    const sent = key === undefined ? {} : { key }
    return must('GET', `/webhooks/subscriptions/${id}/deliveries${query}`, sent)
  }

  /** Waits until the only delivery of an event has one of the states. */
  function settled(id: string, status: string, count = 1, key?: string) {
    return until(
      async () => {
        const found = await deliveries(id, `?status=${status}&is_test=false&include=attempts`, key)
        return found.data.length >= count && found.data
      },
      { what: `${count} ${status} deliveries` },
    )
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
