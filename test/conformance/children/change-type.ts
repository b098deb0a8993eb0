// Begins a change of a type that is carried out in steps, and is killed in the middle of it. Says "begun".

import { createLocalBus, createRevisions } from '#bus'
import type { DatabaseSettings } from '#db'
import { createOutbox } from '#events'
import { createClock, createIds, random } from '#kernel'
import { createModelHolder } from '../../../src/content/model-holder.ts'
import { createModelChanges } from '../../../src/content/types/changes.ts'
import { createCleanup } from '../../../src/content/types/cleanup.ts'
import { createDefinitions } from '../../../src/content/types/definitions.ts'
import type { ContentTypeChangeBody } from '../../../src/content/types/schemas.ts'
import { argument, log, open } from './open.ts'

interface Asked {
  readonly settings: DatabaseSettings
  readonly name: string
  readonly body: ContentTypeChangeBody
}

const { settings, name, body } = argument<Asked>()
const db = await open(settings)
const clock = createClock()
const ids = createIds({ clock, random })
const bus = createLocalBus({ log })
const revisions = createRevisions({ bus, log })
const { model, follow, onChange } = await createModelHolder({ db, revisions })
const telling = { appendEvents: createOutbox({ ids, clock }).appendAll, publicUrl: '' }
const definitions = createDefinitions({
  ...{ db, clock, ids, log, model, ...telling },
  changes: createModelChanges({ db, clock, revisions, follow }),
  cleanup: createCleanup({ db, clock, model, ...telling }),
  touch: () => {},
  publicReadDefault: () => true,
})
onChange(({ types }) => {
  if (types.some(({ changing }) => changing)) console.log('begun')
})
await definitions.mergeType(name, body, { dryRun: false, force: true })
console.log('done')
process.exit(0)
