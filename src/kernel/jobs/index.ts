// Work that is due: claimed by one, repeated after failures, led by one node.
export { backoffMs, spreadMs } from './backoff.ts'
export { type Claim, createClaims } from './claim.ts'
export type { LeaseColumns } from './lease-columns.ts'
export { createLeases, type Leases } from './leases.ts'
export { createLedLoop, createLedLoops } from './led-loop.ts'
export { anyOf, createLookout, type Lookout, type Question, SELDOM } from './lookout.ts'
export { byAny, createLoop, type Loop } from './loop.ts'
