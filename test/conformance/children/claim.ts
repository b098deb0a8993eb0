// Says "ready", waits for a word, then claims jobs until none is left and says which. A "slow" one
// keeps its first batch until it is killed.
import { once } from 'node:events'
import type { DatabaseSettings } from '#db'
import { random } from '#kernel'
import { createClaims } from '../../../src/kernel/jobs/claim.ts'
import { type JobTables, nextJobs } from './jobs.ts'
import { argument, open } from './open.ts'

const { settings, owner, slow, leaseMs } = argument<{
  settings: DatabaseSettings
  owner: string
  slow?: boolean
  leaseMs: number
}>()
const { main: store, dialect, close } = await open(settings)
const claims = createClaims<JobTables>({ store, dialect, owner, random })
console.log('ready')
await once(process.stdin, 'data')
for (;;) {
  const { rows } = await claims.claim(nextJobs({ limit: 10, leaseMs }))
  if (rows.length === 0) break
  console.log(JSON.stringify(rows.map((row) => row.id)))
  if (slow) await new Promise(() => {})
}
await close()
process.exit(0)
