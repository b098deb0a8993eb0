import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookSuite } from './support.ts'

/** Content events that carry their entry. */
export const entriesOfEvents = webhookSuite('events with their entry', (api) => {
  const { must, createKey, subscribe, receiver } = api
  const endpoint = (path: string) => receiver().url + path

  test('webhooks finding 12: the entry comes as a reader of the API sees it', async () => {
    const { key } = await createKey()
    const limited = await createKey()
    const { data: plan } = await must('POST', '/api/v1/plans', {
      body: {
        ...{ name: 'Elsewhere', requests_per_month: -1, requests_per_minute: -1 },
        endpoints: ['GET /webhooks/**'],
      },
    })
    const { data: keys } = await must('GET', `/api/v1/keys?user_id=${limited.userId}`)
    await must('POST', `/api/v1/keys/${keys[0].id}/revoke`)
    const asked = { plan_id: plan.id, user_id: limited.userId, access: 'read' }
    await must('POST', '/api/v1/keys', { body: asked })
    const wish = { events: [], event_patterns: ['comment.*'], include_entry: true }
    const with1 = await subscribe(endpoint('/with'), wish, key)
    await subscribe(endpoint('/without'), { ...wish, include_entry: false }, key)
    await must('POST', `/webhooks/subscriptions?consumer_id=${limited.consumerId}`, {
      body: { ...wish, endpoint_url: endpoint('/limited') },
    })

    const { data: entry } = await must('POST', '/api/v1/comments', { body: { body: 'Told' } })
    const [arrived] = await receiver().waitFor('/with', 1)
    const shown = await must('GET', `/api/v1/comments/${entry.id}`, { key })
    assert.deepEqual(arrived?.body.data.entry, shown.data)
    const [plain] = await receiver().waitFor('/without', 1)
    const { entry: carried, ...rest } = arrived?.body.data ?? {}
    assert.ok(carried)
    assert.deepEqual(plain?.body.data, rest)
    assert.equal(plain?.headers['webhook-id'], arrived?.headers['webhook-id'])
    const [other] = await receiver().waitFor('/limited', 1)
    assert.deepEqual(other?.body.data, rest)

    const found = await must(
      'GET',
      `/webhooks/subscriptions/${with1.id}/deliveries?is_test=false&include=payload`,
      { key },
    )
    assert.deepEqual(found.data[0].payload.entry, carried)

    const before = receiver().on('/with').length
    await must('PATCH', `/api/v1/comments/${entry.id}`, {
      body: { body: 'x'.repeat(70_000) },
    })
    const updated = (await receiver().waitFor('/with', before + 1)).at(-1)
    assert.equal(updated?.body.data.entry_omitted, true)
    assert.equal(updated?.body.data.entry, undefined)
    await must('DELETE', `/api/v1/comments/${entry.id}`)
    const deleted = (await receiver().waitFor('/with', before + 2)).find(
      ({ body }) => body.type === 'comment.deleted',
    )
    assert.equal(deleted?.body.data.entry, null)
  })

  test('webhooks finding 12: a draft is shown to nobody, staff included', async () => {
    const wish = { events: ['article.created'], include_entry: true }
    await subscribe(endpoint('/staff'), wish)
    await must('POST', '/api/v1/articles', { body: { title: 'Unfinished', status: 'draft' } })
    const [arrived] = await receiver().waitFor('/staff', 1)
    assert.equal(arrived?.body.data.entry, null)
    assert.ok(!arrived?.text.includes('Unfinished'))
  })
})
