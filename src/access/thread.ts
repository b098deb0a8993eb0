/** Access for a thread without a database: it remembers keys and tokens, counts and records itself. */

import type { Revisions } from '#bus'
import type { CounterAnswer, CounterStep, Counters } from '#counters'
import { credentialIn } from '#http-text'
import type { JournalWriter } from '#journal'
import type { Clock, Log } from '#kernel'
import { createKeyCheck } from './credentials/key.ts'
import { bearerOf, findPresentedKey, type PresentedKey } from './credentials/presented.ts'
import { createTokenCheck, isAccessToken } from './credentials/token.ts'
import { createKnownKeys } from './known-keys.ts'
import { createLastUsed } from './last-used.ts'
import { createLimits, type LimitSettings } from './limits.ts'
import { startMeter, type UsageSink } from './meter.ts'
import { createLiveTokens } from './oauth/live-tokens.ts'
import type { Principal } from './principal.ts'
import { type AccessAnswer, type AccessQuestion, createRpcClient } from './rpc.ts'
import { isRawKey } from './secrets.ts'
import { encodeUsage } from './usage/record.ts'

export { routedPath } from './endpoints.ts'
export { FORWARDED_HEADER, signForwarded } from './forwarded.ts'
export type { LimitOutcome, LimitSettings } from './limits.ts'
export { journalFull, type Meter } from './meter.ts'
export type { ActiveKey, Principal } from './principal.ts'
export { keyRequired, notInPlan, requireAccess } from './refusals.ts'
export type { AccessAnswer, AccessQuestion } from './rpc.ts'
export type { Changed } from './store/changes.ts'

export interface ThreadAccessDeps {
  ask(question: AccessQuestion): Promise<AccessAnswer>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  readonly revisions: Pick<Revisions, 'watch'>
  readonly counters: Counters & { addSync?(steps: readonly CounterStep[]): CounterAnswer }
  /** This thread's own; closed by whoever opened it, after the last answer. */
  readonly journal: Pick<JournalWriter, 'append' | 'appendSoon' | 'hasRoom'>
  limits(): LimitSettings
  /** A limit of a plan has refused a request. */
  onRefused(limit: string, plan: string): void
}

interface Headers {
  readonly [name: string]: string | string[] | undefined
}

type Metered = Parameters<typeof startMeter>[1]

export function createThreadAccess(deps: ThreadAccessDeps) {
  const { clock, log, revisions, counters, journal } = deps
  const rpc = createRpcClient(deps.ask)
  const directory = createKnownKeys({ source: rpc, clock })
  const tokens = createLiveTokens({ findStored: rpc.findToken, clock, revisions })
  const lastUsed = createLastUsed({ write: rpc.noteUses, clock, log })
  const limits = createLimits({
    ...{ counters, seed: rpc.seed, settings: deps.limits },
    onRefused: deps.onRefused,
  })
  const checked = { directory, lastUsed, now: clock.now }
  const checkKey = createKeyCheck(checked)
  const checkToken = createTokenCheck({ ...checked, findToken: tokens.find })
  const sink: UsageSink = {
    append: (entry) => journal.append(encodeUsage(entry)),
    appendSoon: (entry, written) => journal.appendSoon(encodeUsage(entry), written),
    hasRoom: journal.hasRoom,
  }
  return {
    present,
    authenticate,
    isSecret,
    checkLimits: limits.check,
    correctCost,
    hasRoom: journal.hasRoom,
    meter: (metered: Metered) => startMeter({ sink, clock }, metered),
    /** Something about keys has changed: what was remembered of them is dropped. */
    forget: directory.forget,
    async close() {
      tokens.close()
      await lastUsed.close()
    },
  }

  /** The credential of a request (Doc 2 §5); `query` as it was sent, without its mark. */
  function present(headers: Headers, query: string): PresentedKey | undefined {
    return findPresentedKey(headers, () => credentialIn(query, 'api_key'))
  }

  /** At once for what is remembered. Throws the refusals of access contract §3. */
  function authenticate({ value, place }: PresentedKey): Principal | Promise<Principal> {
    return place === 'bearer' && isAccessToken(value) ? checkToken(value) : checkKey(value)
  }

  /** The answer does not wait for it: its record says the real cost anyway. */
  function correctCost(keyId: number, difference: number, epoch: number): void {
    limits.correct(keyId, difference, epoch).catch((error: unknown) => {
      log.warn({ err: error, api_key_id: keyId, difference }, 'the cost was not corrected')
    })
  }

  /** Whether an `Authorization` header holds a credential of ours, though another one decides. */
  function isSecret(authorization: string | undefined): boolean {
    const value = bearerOf(authorization)
    return value !== undefined && (isRawKey(value) || isAccessToken(value))
  }
}

export type ThreadAccess = ReturnType<typeof createThreadAccess>
