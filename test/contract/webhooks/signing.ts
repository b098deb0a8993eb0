import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { runBeside, until } from '#test-kit'
import type { Received } from './receiver.ts'
import { webhookSuite } from './support.ts'

const SUBSCRIPTIONS = '/webhooks/subscriptions'
const WINDOW_MS = 600_000

export const signatures = webhookSuite('webhook signatures', (api) => {
  const { post, must, subscribe, publish, receiver, server } = api
  const endpoint = (path: string) => receiver().url + path
  let offsetMs = 0

  async function advance(ms: number) {
    offsetMs += ms
    await server().setClockOffset(offsetMs)
  }

  /** As a receiver whose clock is the server's. */
  function verify(delivery: Received | undefined, secret: string, options = {}) {
    assert.ok(delivery)
    const realNow = Date.now
    Date.now = () => realNow() + offsetMs
    try {
      return new Webhook(secret, options).verify(delivery.text, delivery.headers)
    } finally {
      Date.now = realNow
    }
  }

  test('webhooks 3: the library verifies a delivery in all three modes, and no changed byte', async () => {
    const { secret } = await subscribe(endpoint('/signed'))
    await publish({ id: 7, total: 12.5, text: 'ü \u2028 "x"' })
    const [delivery] = await receiver().waitFor('/signed', 1)
    assert.deepEqual(verify(delivery, secret), delivery?.body)
    assert.deepEqual(verify(delivery, `whsec_${secret}`), delivery?.body)
    assert.deepEqual(verify(delivery, secret, { format: 'raw' }), delivery?.body)
    const signatures = delivery?.headers['webhook-signature']?.split(' ') ?? []
    assert.equal(signatures.length, 2)
    assert.ok(signatures.every((signature) => signature.startsWith('v1,')))

    const changed = { ...delivery, text: delivery?.text.replace('12.5', '12.6') ?? '' } as Received
    assert.throws(() => verify(changed, secret), WebhookVerificationError)
    assert.throws(() => verify(delivery, 'A'.repeat(32)), WebhookVerificationError)
  })

  test('the request is that of the contract', async () => {
    const { id } = await subscribe(endpoint('/shape'), {
      headers: { 'X-Env': 'prod', 'X-Api-Token': 'hidden' },
    })
    const event = await publish({ id: 1 }, { occurred_at: '2026-05-04T10:20:30.123Z' })
    const [delivery] = await receiver().waitFor('/shape', 1)
    assert.ok(delivery)
    const { headers, body, text } = delivery
    assert.equal(headers['content-type'], 'application/json')
    assert.match(headers['user-agent'] ?? '', /^Entrepot-Webhooks\/\d/)
    assert.equal(headers['webhook-id'], event.id)
    assert.match(event.id, /^evt_[0-9a-f]{32}$/)
    assert.equal(headers['webhook-event'], 'order.created')
    assert.equal(headers['webhook-attempt'], '1')
    assert.equal(headers['x-env'], 'prod')
    assert.equal(headers['x-api-token'], 'hidden')
    assert.equal(
      text,
      `{"id":"${event.id}","type":"order.created","timestamp":"2026-05-04T10:20:30.123Z","sequence":1,"data":{"id":1}}`,
    )
    assert.equal(body.sequence, 1)
    const [record] = await api.settled(id, 'succeeded')
    assert.equal(record.id, headers['webhook-delivery'])
    assert.equal(record.attempts[0].request_headers['X-Api-Token'], '***')
    assert.equal(record.attempts[0].response_body, 'ok')
    const shown = await must('GET', `${SUBSCRIPTIONS}/${id}`)
    assert.deepEqual(shown.headers, { 'X-Env': 'prod', 'X-Api-Token': '***' })
  })

  test('webhooks 4: both secrets verify for ten minutes after a rotation, then only the new one', async () => {
    const { id, secret: old } = await subscribe(endpoint('/rotated'))
    const before = Date.now() + offsetMs
    const rotated = await must('POST', `${SUBSCRIPTIONS}/${id}/rotate-secret`)
    assert.deepEqual(Object.keys(rotated), ['secret', 'valid_until', 'note'])
    assert.match(rotated.secret, /^[A-Za-z0-9]{32}$/)
    assert.notEqual(rotated.secret, old)
    const aheadMs = Date.parse(rotated.valid_until) - before
    assert.ok(aheadMs >= WINDOW_MS && aheadMs < WINDOW_MS + 10_000, `${aheadMs} ms`)

    await publish({ n: 1 })
    const [during] = await receiver().waitFor('/rotated', 1)
    verify(during, rotated.secret)
    verify(during, old)
    const signatures = during?.headers['webhook-signature']?.split(' ') ?? []
    assert.equal(signatures.length, 4)
    const first = { ...during, headers: { ...during?.headers, 'webhook-signature': signatures[0] } }
    verify(first as Received, rotated.secret)
    assert.throws(() => verify(first as Received, old), WebhookVerificationError)

    assert.deepEqual(await check(id, during), { valid: true, matched: 'current' })
    assert.deepEqual(await check(id, onlyOld(during, signatures)), {
      valid: true,
      matched: 'previous',
    })

    await advance(WINDOW_MS + 5_000)
    await publish({ n: 2 })
    const [, after] = await receiver().waitFor('/rotated', 2)
    verify(after, rotated.secret)
    assert.throws(() => verify(after, old), WebhookVerificationError)
    assert.equal(after?.headers['webhook-signature']?.split(' ').length, 2)
    assert.deepEqual(await check(id, after), { valid: true, matched: 'current' })
    assert.deepEqual(await check(id, during), { valid: false, reason: 'timestamp_out_of_range' })
    assert.deepEqual(await check(id, { ...after, headers: {} } as Received), {
      valid: false,
      reason: 'missing_header',
    })
    assert.deepEqual(await check(id, { ...after, text: '{}' } as Received), {
      valid: false,
      reason: 'no_matching_signature',
    })
  })

  test('a second rotation in the window drops the oldest secret at once', async () => {
    const { id, secret: oldest } = await subscribe(endpoint('/twice'))
    const { secret: middle } = await must('POST', `${SUBSCRIPTIONS}/${id}/rotate-secret`)
    const { secret: newest } = await must('POST', `${SUBSCRIPTIONS}/${id}/rotate-secret`)
    await publish()
    const [delivery] = await receiver().waitFor('/twice', 1)
    verify(delivery, newest)
    verify(delivery, middle)
    assert.throws(() => verify(delivery, oldest), WebhookVerificationError)
  })

  test('webhooks 19: no secret is in the database in clear text', async () => {
    const { id, secret } = await subscribe(endpoint('/hidden'))
    const key = 'kept-answer'
    const sent = { headers: { 'idempotency-key': key } }
    const body = { endpoint_url: endpoint('/hidden'), events: ['*'] }
    const { body: created } = await post(SUBSCRIPTIONS, body, sent)
    const { secret: rotated } = await must('POST', `${SUBSCRIPTIONS}/${id}/rotate-secret`)
    const stored = await everythingStored()
    assert.ok(stored.includes(id))
    for (const one of [secret, created.secret, rotated]) assert.ok(!stored.includes(one))
    // An old secret is erased, not only left unused.
    await advance(WINDOW_MS + 1_000)
    await until(async () => (await oldSecrets()) === 0, { withinMs: 60_000 })
  })

  async function check(id: string, { headers, text }: Partial<Received> = {}) {
    return must('POST', `${SUBSCRIPTIONS}/${id}/verify`, { body: { headers, body: text } })
  }

  function onlyOld(delivery: Received | undefined, signatures: readonly string[]): Received {
    const signature = signatures.slice(2).join(' ')
    return {
      ...delivery,
      headers: { ...delivery?.headers, 'webhook-signature': signature },
    } as Received
  }

  const isPostgres = () => server().env['ENTREPOT_DATABASE_URL'] !== undefined

  async function everythingStored(): Promise<string> {
    if (!isPostgres()) {
      const files = readdirSync(server().dataDir).filter((name) => name.includes('.db'))
      return files.map((name) => readFileSync(join(server().dataDir, name), 'latin1')).join()
    }
    const tables = await query(
      "select table_name from information_schema.tables where table_schema = current_schema() and (table_name like 'webhooks%' or table_name like 'kernel%')",
    )
    const rows = await Promise.all(
      tables.map(({ table_name }) => query(`select t::text as all from ${table_name} t`)),
    )
    return JSON.stringify(rows)
  }

  async function oldSecrets(): Promise<number> {
    const statement =
      'select count(*) as count from webhooks_subscriptions where secret_old is not null'
    return Number((await query(statement))[0]?.['count'])
  }

  function query(statement: string) {
    return runBeside(server(), statement)
  }
})
