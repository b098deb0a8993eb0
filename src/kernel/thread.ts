// What a data-plane thread may use: no database, nothing that loads one.
export { createLocalBus } from './bus/local.ts'
export { type Clock, createClock } from './clock.ts'
export { drainServer } from './http/drain.ts'
export { createIds, type Ids, isUuid } from './ids.ts'
export { type Log, openLog, REOPEN_LOG } from './log.ts'
export { random } from './random.ts'
export { READY, STOP } from './threads/supervise.ts'
