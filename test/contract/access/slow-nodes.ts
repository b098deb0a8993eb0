import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ADMIN_KEY, shareServer, startNodes, startPair, type TestServer } from '#test-kit'
import { caller } from './support.ts'

const LIMIT = 60
const REQUESTS = 400
const STOPPED_MS = 300
const RUNNING_MS = 20
const MINUTE_AT = Date.parse('2027-03-01T09:00:03.000Z')

type Store = 'Redis' | 'PostgreSQL alone'
type Pair = readonly [TestServer, TestServer]

/** Limits over two nodes by the store's usual 100 ms, in so many rounds of every kind. */
export function slowNodes(store: Store, rounds: number): void {
  describe(`limits over slow nodes (${store})`, () => {
    const nodes = sharedPair(store)
    before(() => issue(nodes()[0]))

    test(`access finding 2: of ${REQUESTS} parallel requests over two nodes exactly ${LIMIT} pass, from the first on`, async () => {
      for (let round = 0; round < rounds; round++) await playRound(nodes(), async () => {})
    })

    test(`access finding 2: exactly ${LIMIT} pass while each node is stopped for ${STOPPED_MS} ms several times`, async () => {
      for (let round = 0; round < rounds; round++) {
        const stops = await playRound(nodes(), stopInTurn)
        assert.ok(stops >= 2, `each node was stopped ${stops} times`)
      }
    })
  })
}

function sharedPair(store: Store): () => Pair {
  let pair: Pair | undefined
  const common = { ENTREPOT_ADMIN_KEY: ADMIN_KEY }
  shareServer(async () => {
    pair = store === 'Redis' ? (await startNodes(common)).nodes : await startPair(common)
    return pair[0]
  })
  return () => {
    if (!pair) throw new Error('not started yet')
    return pair
  }
}

/** Half of the requests are at work when the disturbance begins; the others come during it. */
async function playRound<T>(
  nodes: Pair,
  disturb: (nodes: Pair, isOver: () => boolean) => Promise<T>,
): Promise<T> {
  const key = await issue(nodes[0])
  for (const node of nodes) await node.setClockOffset(MINUTE_AT - Date.now())
  let answered = 0
  const requests = Array.from({ length: REQUESTS }, async (_, n) => {
    if (n >= REQUESTS / 2) await delay(STOPPED_MS * 2 * (n / REQUESTS))
    const node = nodes[n % 2 === 0 ? 0 : 1]
    const { status, body } = await caller(() => node.url).call('GET', '/nothing', { key })
    answered++
    return status === 404 ? 'served' : body.error.code
  })
  const disturbed = await disturb(nodes, () => answered === REQUESTS)
  const outcomes = Map.groupBy(await Promise.all(requests), String)
  const counts = Object.fromEntries([...outcomes].map(([what, each]) => [what, each.length]))
  assert.deepEqual(counts, { served: LIMIT, rate_limit_exceeded: REQUESTS - LIMIT })
  for (const node of nodes) await node.setClockOffset(0)
  return disturbed
}

/** Until all is answered, and at least twice; answers how often each node was stopped. */
async function stopInTurn(nodes: Pair, isOver: () => boolean): Promise<number> {
  let stops = 0
  while (stops < 2 || !isOver()) {
    for (const node of nodes) {
      await delay(RUNNING_MS)
      process.kill(node.pid, 'SIGSTOP')
      await delay(STOPPED_MS)
      process.kill(node.pid, 'SIGCONT')
    }
    stops++
  }
  return stops
}

async function issue(node: TestServer): Promise<string> {
  const { createPlan, issueKey } = caller(() => node.url)
  const { id } = await createPlan({ requests_per_minute: LIMIT })
  return (await issueKey({ plan_id: id })).key
}
