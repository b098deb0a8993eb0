// Threads that are watched, started again, and small when idle.
export { createFailures, type Failures } from './failures.ts'
export { giveWay } from './priority.ts'
export { settleThread } from './settled.ts'
export { READY, STOP, supervise, type Thread } from './supervise.ts'
