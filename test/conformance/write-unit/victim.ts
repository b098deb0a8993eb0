// Carries plans out without pause until it is killed. Says "ready", and then what each call has committed.

import { createLocalBus, createRevisions } from '#bus'
import type { DatabaseSettings } from '#db'
import { createClock, createIds, random } from '#kernel'
import { createModelHolder } from '../../../src/content/model-holder.ts'
import { argument, log, open } from '../children/open.ts'
import { openCarrier } from './open.ts'
import { createPages, knownFrom } from './pages.ts'
import { createWriteUnit } from './unit.ts'

/** Version 1 is a new entry. */
export interface Told {
  readonly documentId: string
  readonly version: number
}

const { settings, writers } = argument<{ settings: DatabaseSettings; writers: number }>()
const db = await open(settings)
const clock = createClock()
const ids = createIds({ clock, random })
const bus = createLocalBus({ channel: `unit-${process.pid}`, log })
const { model } = await createModelHolder({ db, revisions: createRevisions({ bus, log }) })
const type = model().findType('page')
if (!type) throw new Error('no type page')
const pages = createPages(type, { clock, ids })
const carrier = await openCarrier(settings)
const { write } = createWriteUnit({ carrier, freshness: { touch: () => {} } })
console.log('ready')
await Promise.all(Array.from({ length: writers }, run))

/** Half of the writes are new entries, half of them change the one before. All titles are alike. */
async function run() {
  for (;;) {
    const made = await write(async () => pages.create('page'))
    const known = knownFrom(made.rows[0])
    say({ documentId: known.documentId, version: 1 })
    await write(async () => pages.rename(known, 'other'))
    say({ documentId: known.documentId, version: 2 })
  }
}

function say(told: Told) {
  process.stdout.write(`${JSON.stringify(told)}\n`)
}
