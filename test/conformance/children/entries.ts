// Writes entries without pause until it is killed: every write changes several tables. Says "ready",
// and then what each call has committed.

import { createLocalBus, createRevisions } from '#bus'
import type { DatabaseSettings } from '#db'
import { createOutbox } from '#events'
import { createClock, createIds, random } from '#kernel'
import { createEntries } from '../../../src/content/entries/entries.ts'
import type { ContentType } from '../../../src/content/model.ts'
import { createModelHolder } from '../../../src/content/model-holder.ts'
import { WRITER } from '../support/writer.ts'
import { argument, log, open } from './open.ts'

export interface Told {
  readonly documentId: string
  /** 0: removed. */
  readonly version: number
}

const { settings, writers } = argument<{ settings: DatabaseSettings; writers: number }>()
const db = await open(settings)
const clock = createClock()
const ids = createIds({ clock, random })
const bus = createLocalBus({ log })
const revisions = createRevisions({ bus, log })
const { model } = await createModelHolder({ db, revisions })
const entries = createEntries({
  ...{ db, clock, ids, random, model },
  appendEvents: createOutbox({ ids, clock }).appendAll,
  touch: () => {},
  publicUrl: '',
})
console.log('ready')
await Promise.all(Array.from({ length: writers }, () => write(typeOf('page'))))

async function write(type: ContentType): Promise<void> {
  const parent = await tell(entries.create(WRITER, type, { values: body(1) }))
  for (let round = 0; ; round++) {
    const made = await tell(
      entries.create(WRITER, type, { values: body(2), parent: parent.documentId }),
    )
    const target = { id: made.id }
    await tell(entries.update(WRITER, type, target, { values: body(3) }, { status: 'draft' }))
    await tell(entries.update(WRITER, type, target, { values: body(1) }, { status: 'draft' }))
    await tell(entries.publish(WRITER, type, target))
    const slug = { slug: `s-${parent.id}-${round}` }
    await tell(entries.update(WRITER, type, { id: parent.id }, { values: slug }))
    await tell(entries.update(WRITER, type, target, { values: body(2) }, { status: 'draft' }))
    if (round % 3 === 0) await remove(type, made.documentId, target)
  }
}

async function remove(type: ContentType, documentId: string, target: { id: number }) {
  await entries.remove(WRITER, type, target)
  say({ documentId, version: 0 })
}

async function tell(write: ReturnType<typeof entries.publish>) {
  const { entry } = await write
  say({ documentId: entry.documentId, version: entry.version })
  return entry
}

function say(told: Told) {
  process.stdout.write(`${JSON.stringify(told)}\n`)
}

/** Everything in it says the same number. */
function body(count: number) {
  const list = Array.from({ length: count }, (_, n) => n)
  return {
    title: `page ${random.bytes(4).toString('hex')}`,
    count,
    words: list.map((n) => `w${n}`),
    blocks: list.map((n) => ({ text: `b${n}`, words: [`v${n}`] })),
    topics: list.map((n) => n + 1),
  }
}

function typeOf(name: string): ContentType {
  const type = model().findType(name)
  if (!type) throw new Error(`no type ${name}`)
  return type
}
