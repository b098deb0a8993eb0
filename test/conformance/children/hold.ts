// Holds a lease until it is killed. Says "held" when it has it.
import type { DatabaseSettings } from '#db'
import { random } from '#kernel'
import { createLeases } from '../../../src/kernel/jobs/leases.ts'
import { argument, log, open } from './open.ts'

const { settings, owner, name, ttlMs } = argument<{
  settings: DatabaseSettings
  owner: string
  name: string
  ttlMs: number
}>()
const db = await open(settings)
await createLeases({ db, owner, random, log }).hold(name, { ttlMs }, async () => {
  console.log('held')
  await new Promise(() => {})
})
