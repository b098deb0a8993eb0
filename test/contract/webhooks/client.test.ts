import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { freePort, until } from '#test-kit'
import { verifyWebhook, WebhookError } from '../../../client/src/index.ts'

const SECRET = 'q3ZtB0eWm7Kc2Yv9Rj5Ls8Xh1Nf4Pd6A'
const EXAMPLE = fileURLToPath(new URL('../../../examples/webhook-receiver.ts', import.meta.url))

function delivery(body: string, secret = SECRET, at = new Date()) {
  const id = 'evt_0197a2c46c1e7b3a9a513f0d7c1e2b44'
  const headers = {
    'Webhook-Id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, body)}`,
  }
  return { headers, body }
}

const BODY = JSON.stringify({ id: 'evt_1', type: 'order.created', sequence: 1, data: { id: 7 } })

test('the helper believes what the standard library signed, and gives the event', async () => {
  const event = await verifyWebhook<{ id: number }>(delivery(BODY), SECRET)
  assert.equal(event.data.id, 7)
  await verifyWebhook(delivery(BODY), [`whsec_${'B'.repeat(32)}`, `whsec_${SECRET}`])
  const { headers, body } = delivery(BODY)
  await verifyWebhook({ headers: new Headers(headers), body: Buffer.from(body) }, SECRET)
})

test('what is changed, old, foreign or not whole is refused with its reason', async () => {
  const good = delivery(BODY)
  const reasonOf = async (work: () => Promise<unknown>) => {
    try {
      await work()
      return 'believed'
    } catch (error) {
      return error instanceof WebhookError ? error.reason : String(error)
    }
  }
  const nowMs = Date.now() + 301_000
  const cases: [string, () => Promise<unknown>][] = [
    ['no_matching_signature', () => verifyWebhook({ ...good, body: `${BODY} ` }, SECRET)],
    ['no_matching_signature', () => verifyWebhook(good, 'C'.repeat(32))],
    ['no_matching_signature', () => verifyWebhook(good, [])],
    ['timestamp_out_of_range', () => verifyWebhook(good, SECRET, { nowMs })],
    ['missing_header', () => verifyWebhook({ ...good, headers: {} }, SECRET)],
    ['no_matching_signature', () => verifyWebhook(good, '')],
    ['invalid_body', () => verifyWebhook(delivery('{'), SECRET)],
  ]
  for (const [reason, work] of cases) assert.equal(await reasonOf(work), reason)
})

test('the example receiver verifies, and tells a repetition', async () => {
  const port = await freePort()
  const child = spawn(process.execPath, [EXAMPLE], {
    env: { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: SECRET, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await until(() => output.includes('waiting'))
  const send = async (body: string, secret = SECRET) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      ...delivery(body, secret),
    })
    return answer.status
  }
  assert.equal(await send(BODY), 204)
  assert.equal(await send(BODY), 204)
  assert.equal(await send(BODY, 'C'.repeat(32)), 400)
  assert.equal(output.match(/order\.created/g)?.length, 1)
  child.kill()
  await once(child, 'exit')
})
