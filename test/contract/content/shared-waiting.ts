import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { before, test } from 'node:test'
import { ADMIN_KEY } from '#test-kit'
import { storeSuite } from './support.ts'

const ENTRIES = 1_500
const MANY = 80
/** The last of them would find all answered if it waited like one more of the same; a database serves several at once. */
const FEW = 65
const ROUNDS = 3
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** So long that to look through all of them takes longer than to send the requests. */
const TEXT = 'harbours and ships of the north sea '.repeat(160)
const TYPE = {
  singularName: 'voyage',
  pluralName: 'voyages',
  attributes: { title: { type: 'string' }, body: { type: 'text' } },
}

function lettersOf(n: number): string {
  return `${LETTERS[n % 26]}${LETTERS[Math.floor(n / 26)]}`
}

/** Waiting is shared by those who wait, not by their requests. */
export const sharedWaiting = storeSuite('waiting is shared', ({ call, data, server }) => {
  const keys: string[] = []

  before(async () => {
    await call('POST', '/api/v1/content-types', { body: TYPE })
    const body = { name: 'Unlimited', requests_per_minute: -1, requests_per_month: -1 }
    const plan = await data('POST', '/api/v1/plans', { body })
    for (const email of ['greedy@example.com', 'quiet@example.com']) {
      const user = await data('POST', '/api/v1/users', { body: { email, access: 'write' } })
      const key = { user_id: user.id, plan_id: plan.id, access: 'write' }
      keys.push((await data('POST', '/api/v1/keys', { body: key })).key)
    }
    for (let from = 0; from < ENTRIES; from += 500)
      await write(500, { title: `Voyage ${from}`, body: TEXT })
  })

  function write(count: number, entry: Readonly<Record<string, string>>, key = ADMIN_KEY) {
    const operations = Array.from({ length: count }, () => ({ op: 'create', data: entry }))
    return call('POST', '/api/v1/voyages/bulk', { body: { operations }, key })
  }

  /**
   * How many of the many that one has sent are answered before the single one of another, sent behind them. The
   * fewest of some rounds: a busy machine may send the single one late, but not always.
   */
  async function answeredBefore(
    one: (n: number, round: number) => Promise<{ status: number }>,
    single: (round: number) => Promise<{ status: number }>,
  ): Promise<number> {
    let fewest = MANY
    for (let round = 0; round < ROUNDS && fewest >= FEW; round++) {
      let answered = 0
      const many = Array.from({ length: MANY }, async (_, n) => {
        assert.equal((await one(n, round)).status, 200)
        answered++
      })
      assert.equal((await single(round)).status, 200)
      fewest = Math.min(fewest, answered)
      await Promise.all(many)
    }
    return fewest
  }

  test('scale: whoever searches once does not wait for all searches of another', async () => {
    const [greedy = '', quiet = ''] = keys
    // Two letters: no index serves them.
    const search = (key: string, letters: string, round: number) =>
      call('GET', `/api/v1/voyages?q=${letters}&per_page=${round + 1}`, { key })
    const before = await answeredBefore(
      (n, round) => search(greedy, lettersOf(n), round),
      (round) => search(quiet, 'zz', round),
    )
    assert.ok(before < FEW, `${before} of ${MANY} were answered before`)
  })

  test('scale: whoever searches without a key waits among those of the same address', async () => {
    const search = async (localAddress: string, letters: string, round: number) => {
      const query = `_q=${letters}&pagination[pageSize]=${round + 1}`
      const request = http.get(`${server().url}/api/voyages?${query}`, {
        ...{ localAddress, agent: false },
      })
      const [response] = await once(request, 'response')
      response.resume()
      await once(response, 'end')
      return { status: Number(response.statusCode) }
    }
    const before = await answeredBefore(
      (n, round) => search('127.0.0.2', lettersOf(n), round),
      (round) => search('127.0.0.3', 'zz', round),
    )
    assert.ok(before < FEW, `${before} of ${MANY} were answered before`)
  })

  test('scale: whoever sends one bulk does not wait for all bulks of another', async () => {
    const [greedy = '', quiet = ''] = keys
    const before = await answeredBefore(
      (n) => write(50, { title: `Greedy ${n}` }, greedy),
      () => write(50, { title: 'Quiet' }, quiet),
    )
    assert.ok(before < FEW, `${before} of ${MANY} were answered before`)
  })
})
