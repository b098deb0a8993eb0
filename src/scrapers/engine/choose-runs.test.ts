import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseRuns } from './choose-runs.ts'

const runsOf = (userId: number, ...ids: number[]) => ids.map((id) => ({ id, userId, lostBy: null }))
const idsOf = (runs: readonly { id: number }[]) => runs.map(({ id }) => id)

test('scrapers finding 4: users take turns, each with its oldest run first', () => {
  const waiting = [...runsOf(1, 1, 2, 3, 4), ...runsOf(2, 5, 6), ...runsOf(3, 7)]
  const room = { slots: 5, atWork: new Map() }
  assert.deepEqual(idsOf(chooseRuns(waiting, room)), [1, 5, 7, 2])
  const beside = { slots: 5, atWork: new Map([[1, 1]]) }
  assert.deepEqual(idsOf(chooseRuns(waiting, beside)), [5, 7, 1])
})

test('scrapers finding 4: the last fifth of the slots is for users without a run under way', () => {
  const greedy = runsOf(1, ...Array.from({ length: 30 }, (_, at) => at))
  assert.equal(chooseRuns(greedy, { slots: 10, atWork: new Map() }).length, 8)
  const full = { slots: 10, atWork: new Map([[1, 8]]) }
  assert.deepEqual(idsOf(chooseRuns([...greedy, ...runsOf(2, 90, 91)], full)), [90])
  assert.equal(chooseRuns(greedy, { slots: 1, atWork: new Map() }).length, 1)
  assert.deepEqual(chooseRuns(greedy, { slots: 2, atWork: new Map([[1, 3]]) }), [])
})
