// Notices between the threads and nodes of one installation: nothing is kept of them.
export { createBus } from './bridge.ts'
export { createLocalBus } from './local.ts'
export { type Bus, type BusMessage, type MainBus, PROCESS_TOPIC } from './port.ts'
export { createPostgresRemote } from './postgres.ts'
export { createRedisRemote } from './redis.ts'
export { createRevisions, type Revisions, storedRevision } from './revisions.ts'
