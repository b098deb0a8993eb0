// Rates and quotas, counted together by all threads and nodes.
export { limitsUnavailable, type StoreFailurePolicy } from './fallback.ts'
export { type CounterStores, connectCounters, openCounters } from './open.ts'
export type { CounterAnswer, CounterResult, CounterStep, Counters, Seed, Window } from './port.ts'
export { COUNTERS_REDIS_OPTIONS, createRedisCounters } from './redis.ts'
export { createSharedCounters, ownerIdOf, type SharedCounters } from './shared-memory.ts'
export { createWatch } from './watch.ts'
