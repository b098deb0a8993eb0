// Sequences events until it is killed, with or without a lease, and on request writes events beside
// it. Says "ready", and then the id of each event it has committed.
import type { Database, DatabaseSettings } from '#db'
import { createClock } from '../../../src/kernel/clock.ts'
import { createOutbox } from '../../../src/kernel/events/outbox.ts'
import { createSequencer } from '../../../src/kernel/events/sequencer.ts'
import { createIds } from '../../../src/kernel/ids.ts'
import { createLeases } from '../../../src/kernel/jobs/leases.ts'
import { createLookout } from '../../../src/kernel/jobs/lookout.ts'
import { random } from '../../../src/kernel/random.ts'
import { argument, log, open } from './open.ts'

const { settings, owner, leaseMs, writers } = argument<{
  settings: DatabaseSettings
  owner: string
  leaseMs?: number
  writers: number
}>()
const db = await open(settings)
const clock = createClock()
const bus = { publish: async () => {}, subscribe: () => () => {} }
const sequencer = createSequencer({ db, bus })
console.log('ready')
if (leaseMs) {
  const leases = createLeases({ db, owner, random, log })
  const lookout = createLookout({ db, clock, log, random })
  sequencer.start({ leases, lookout, leaseMs, log, random })
} else {
  void sequenceWithoutPause()
}
for (let i = 0; i < writers; i++) void write(db)

async function sequenceWithoutPause() {
  for (;;) await sequencer.turn()
}

async function write({ main }: Database) {
  const outbox = createOutbox({ ids: createIds({ clock, random }), clock })
  for (let n = 0; ; n++) {
    const id = await main.transaction(undefined, (tx) =>
      outbox.append(tx, { type: 'test.written', payload: { owner, n } }),
    )
    process.stdout.write(`${id}\n`)
  }
}
