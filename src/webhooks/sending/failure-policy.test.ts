import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '#kernel'
import type { Lane } from '../records.ts'
import type { Due } from '../store/due.ts'
import type { Attempted } from './attempt.ts'
import { afterFailure, tally } from './failure-policy.ts'
import { nextAttemptAt } from './retry.ts'

const NOW_MS = 1_800_000_000_000
const RETRIES = { retrySchedule: [5, 300], jitter: 0.2 }
const LIMITS = { disableAfter: 3, disableMinFailingSeconds: 0 }

const LANE: Lane = {
  subscriptionId: 's',
  consumerId: 'c',
  isActive: true,
  activeSinceMs: 0,
  disabledAtMs: null,
  disabledReason: null,
  failureCount: 0,
  failingSinceMs: null,
  lastDeliveryAtMs: null,
  lastSequence: 9,
  epoch: 4,
  cancelledEpoch: 0,
  releaseAtMs: null,
  isOrdered: false,
  maxPerSecond: null,
  autoResume: false,
  resumeTries: 0,
}

const DUE: Due = {
  id: 'd',
  messageId: 'm',
  sequence: 1,
  trigger: 'scheduled',
  status: 'pending',
  attemptCount: 0,
  tries: 0,
  nextAttemptAtMs: NOW_MS,
  epoch: 4,
}

function attempt(status: number | null): Attempted {
  const isGood = status !== null && status < 300
  return {
    startedAtMs: NOW_MS - 1_000,
    durationMs: 10,
    url: 'http://x/',
    requestHeaders: {},
    response: status === null ? null : { status, headers: {}, body: '', truncated: false },
    error: isGood ? null : { code: 'http_status', message: 'no' },
    notBeforeMs: null,
  }
}

const failing = (due: Partial<Due>, lane: Partial<Lane> = {}, status: number | null = 500) =>
  afterFailure(
    { ...DUE, ...due },
    attempt(status),
    { ...LANE, ...lane },
    {
      nowMs: NOW_MS,
      random,
      settings: RETRIES,
    },
  )

test('a failed delivery waits for its next try, and fails when all are used up', () => {
  const first = failing({})
  assert.equal(first.status, 'pending')
  assert.ok(first.due_at !== null && first.due_at >= NOW_MS + 4_000)
  assert.ok(first.due_at !== null && first.due_at <= NOW_MS + 6_000)
  assert.equal(failing({ tries: 2 }).status, 'failed')
  assert.equal(failing({}, {}, 410).status, 'failed')
  assert.equal(failing({ trigger: 'test' }).status, 'failed')
})

test('what fails while its subscription is inactive is held', () => {
  assert.equal(failing({}, { isActive: false }).epoch, LANE.epoch - 1)
})

test('a manual attempt leaves the plan as it was', () => {
  const planned = failing({ trigger: 'manual', nextAttemptAtMs: NOW_MS + 99, tries: 1 })
  assert.deepEqual([planned.status, planned.due_at, planned.tries], ['pending', NOW_MS + 99, 1])
  const done = failing({ trigger: 'manual', status: 'succeeded' })
  assert.deepEqual([done.status, done.due_at], ['succeeded', null])
  const held = failing({ trigger: 'manual', status: 'held' }, { isActive: false })
  assert.deepEqual([held.status, held.epoch], ['pending', LANE.epoch - 1])
})

test('failures in a row disable, a success between them starts anew, manual ones do not count', () => {
  const run = (statuses: readonly number[], trigger: Due['trigger'] = 'scheduled') =>
    tally(
      LANE,
      statuses.map((status) => ({ due: { trigger }, attempted: attempt(status) })),
      LIMITS,
      NOW_MS,
    )
  assert.equal(run([500, 500]).disabled, null)
  assert.equal(run([500, 500, 500]).disabled, 'failures')
  assert.equal(run([500, 500, 200, 500]).failureCount, 1)
  assert.equal(run([500, 500, 500, 500]).failureCount, 3)
  assert.equal(run([500, 500, 500], 'manual').failureCount, 0)
  assert.equal(run([410]).disabled, 'gone')
  const brief = { ...LIMITS, disableMinFailingSeconds: 60 }
  const bad = { due: DUE, attempted: attempt(500) }
  assert.equal(tally(LANE, [bad, bad, bad], brief, NOW_MS).disabled, null)
  const near = { ...LANE, failureCount: 49 }
  assert.deepEqual(tally(near, [bad], { ...LIMITS, disableAfter: 100 }, NOW_MS).warnings, [50])
})

test('Retry-After is obeyed for at most a day', () => {
  const times = { nowMs: NOW_MS, notBeforeMs: NOW_MS + 1e10, random }
  assert.equal(nextAttemptAt(1, RETRIES, times), NOW_MS + 86_400_000)
  assert.equal(nextAttemptAt(3, RETRIES, times), null)
})
