// Counters in PostgreSQL. Apart from the others because threads of the gateway load no database.

export { createPostgresCounters } from './postgres.ts'
export { createCountersTable } from './postgres-schema.ts'
