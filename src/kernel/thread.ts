// What a data-plane thread may use: no database, nothing that loads one.
export { type AccessLevel, type Actor, hasAccess } from './actor.ts'
export { createLocalBus } from './bus/local.ts'
export { createRevisions, type Revisions } from './bus/revisions.ts'
export { canonicalJson } from './canonical-json.ts'
export { type Clock, createClock } from './clock.ts'
export { limitsUnavailable, type StoreFailurePolicy } from './counters/fallback.ts'
export { connectCounters, openCounters } from './counters/open.ts'
export type {
  CounterAnswer,
  CounterResult,
  CounterStep,
  Counters,
  Window,
} from './counters/port.ts'
export { COUNTERS_REDIS_OPTIONS, createRedisCounters } from './counters/redis.ts'
export { createSharedCounters, ownerIdOf, type SharedCounters } from './counters/shared-memory.ts'
export { createWatch } from './counters/watch.ts'
export { DomainError, unavailable } from './errors.ts'
export { renderError } from './http/conventions.ts'
export { drainConnections } from './http/drain.ts'
export { maskQuery } from './http/mask.ts'
export { credentialIn } from './http/query.ts'
export { createIds, type Ids, isUuid } from './ids.ts'
export type { JournalAddress } from './journal/address.ts'
export { CLIENT_GONE } from './journal/held-answer.ts'
export { createJournalWriter, type JournalWriter } from './journal/writer.ts'
export { isObject } from './json.ts'
export { createPayloadSchemas, problemsOfSchema } from './json-schema/schema.ts'
export { type Log, openLog, REOPEN_LOG } from './log.ts'
export { createLru } from './lru.ts'
export { random } from './random.ts'
export { settleThread } from './threads/settled.ts'
export { READY, STOP } from './threads/supervise.ts'
export { renderTime } from './times.ts'
