import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, test } from 'node:test'
import {
  type DatabaseKind,
  installation,
  runBeside,
  shareServer,
  startServer,
  type TestServer,
} from '#test-kit'
import { administration, INSTALLATION, named, startUpstream } from '../gateway/support.ts'
import { caller } from './support.ts'

const KEYS = 1_000
const QUOTA = 5_000
const AT_ONCE = 100
const APRIL = Date.parse('2027-04-01T00:00:01.000Z')
const MAY = Date.parse('2027-05-01T00:00:01.000Z')

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`first requests of a month (${kind})`, () => firstRequests(kind))
}

function firstRequests(kind: DatabaseKind) {
  const server = shareServer(async () => startServer(await installation(kind, INSTALLATION)))
  before(sell)

  test('access finding 1: a hundred first requests of a key at once are all served, and counted once', async () => {
    for (const url of [`${server().url}/api/v1/nothing`, sold()]) {
      const { createPlan, issueKey } = caller(() => server().url)
      const plan = await createPlan({ requests_per_month: QUOTA })
      const { key } = await issueKey({ plan_id: plan.id })
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(url, key)))
      const left = answers.map(({ remaining }) => remaining).sort((a, b) => b - a)
      const expected = Array.from({ length: AT_ONCE }, (_, n) => QUOTA - 1 - n)
      assert.deepEqual(left, expected, url)
    }
  })

  test(`access finding 1: ${KEYS} keys at the turn of a month are all served, through the gateway too`, async () => {
    const { createPlan, createUser } = caller(() => server().url)
    const [plan, user] = await Promise.all([
      createPlan({ requests_per_month: QUOTA }),
      createUser('thousand@example.com'),
    ])
    const keys = Array.from({ length: KEYS }, (_, n) => `sk_${String(n).padEnd(48, 'x')}`)
    await insert(server(), user.id, plan.id, keys)
    for (const [url, atMs] of [
      [`${server().url}/api/v1/nothing`, APRIL],
      [sold(), MAY],
    ] as const) {
      await server().setClockOffset(atMs - Date.now())
      const answers = await Promise.all(keys.map((key) => ask(url, key)))
      const left = new Set(answers.map(({ remaining }) => remaining))
      assert.deepEqual([...left], [QUOTA - 1], url)
    }
    await server().setClockOffset(0)
  })

  async function sell() {
    const upstream = await startUpstream(named('sold'))
    const { put } = administration(() => server().url)
    await put('/routes/sold', {
      uri: '/sold',
      upstream: { nodes: { [upstream.node]: 1 } },
      plugins: { 'plan-access': {} },
    })
  }

  function sold(): string {
    return `${server().gatewayUrl}/sold`
  }
}

/** Counted, whether there is something at the path or not. */
async function ask(url: string, key: string) {
  const answer = await fetch(url, { headers: { 'x-api-key': key } })
  const text = await answer.text()
  assert.ok([200, 404].includes(answer.status), `${answer.status} ${text}`)
  return { remaining: Number(answer.headers.get('x-ratelimit-remaining')) }
}

/** Straight into the database: issuing them one by one would take minutes. */
async function insert(
  server: TestServer,
  userId: number,
  planId: number,
  keys: readonly string[],
): Promise<void> {
  const rows = keys.map((key) => {
    const hash = createHash('sha256').update(key).digest('hex')
    return `(${userId}, ${planId}, 'key', '${hash}', '${key.slice(0, 8)}', 'read', 'active', 0, 0)`
  })
  const columns = `user_id, plan_id, kind, key_hash, key_prefix, access, status, created_at, revision`
  await runBeside(server, `insert into access_keys (${columns}) values ${rows.join(',')}`)
}
