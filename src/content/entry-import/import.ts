import { type Kysely, sql } from 'kysely'
import { againAfterDeadlock, type Database, type Tx } from '#db'
import { type Actor, DomainError, invalid, parseTime } from '#kernel'
import { claimsOf } from '../entries/claims.ts'
import { localeOf } from '../entries/load.ts'
import type { Done, Entries, EntryInput, UpdateOptions, Written } from '../entries/ports.ts'
import { AT_ONCE_TURN, createTurns, type Turn } from '../entries/turns.ts'
import type { ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import type { ImportRecord } from './schemas.ts'

interface Deps {
  readonly db: Database
  readonly entries: Entries
  model(): ContentModel
}

/** What became of a record. */
export interface Imported extends Written {
  readonly created: boolean
}

interface Copy {
  readonly values: Readonly<Record<string, unknown>>
  readonly updated_at?: string
  readonly published_at?: string
}

type Status = NonNullable<UpdateOptions['status']>

/** As many share a commit in the 20 ms that others may wait (DESIGN §4). */
const AT_ONCE = 50
const ATTEMPTS = 10

/** How one of several is written: in its turn, and whether its entry was there when they began. */
interface How {
  readonly turn: Turn
  readonly isThere: boolean
}

/**
 * Entries as another system had them: their ids and times are given, live and working copy differ where they did,
 * and what was live is live. A record that is sent again changes nothing.
 */
export function createEntryImport({ db, entries, model }: Deps) {
  return { putAll }

  /** As if they came one after the other, so that lists that say nothing of their order show the one they had there. */
  async function putAll(
    actor: Actor,
    type: ContentType,
    records: readonly ImportRecord[],
  ): Promise<Done<Imported>[]> {
    const done: Done<Imported>[] = []
    for (const some of thatDoNotMeet(type, records)) {
      const isThere = await findThere(type, some)
      const turns = createTurns(some.length)
      const each = (record: ImportRecord, at: number) => {
        const turn = turns[at] ?? AT_ONCE_TURN
        return put(actor, type, record, { turn, isThere: isThere(record) })
          .then(toDone, toFailed)
          .finally(() => turn.end())
      }
      const first = await entries.inSlot(actor, () => Promise.all(some.map(each)))
      for (const [at, one] of first.entries()) {
        const record = some[at]
        const isAgain = record && at > 0 && 'error' in one && mayHaveWaited(one.error)
        done.push(isAgain ? await putAgain(actor, type, record) : one)
      }
    }
    return done
  }

  /** What a record before it has given up or made meanwhile, its plan could not see. */
  async function putAgain(actor: Actor, type: ContentType, record: ImportRecord) {
    const isThere = await findThere(type, [record])
    const how = { turn: AT_ONCE_TURN, isThere: isThere(record) }
    return put(actor, type, record, how).then(toDone, toFailed)
  }

  async function put(
    actor: Actor,
    type: ContentType,
    record: ImportRecord,
    { turn, isThere }: How,
  ): Promise<Imported> {
    const { live, working } = record
    if (!live && !working) {
      throw invalid([{ path: ['live'], rule: 'required', message: 'live or working is required' }])
    }
    if (live && working) {
      // Those before it have their numbers; whoever holds the writer must not wait for them.
      await turn.beforeSending()
      // Whoever reads meanwhile sees both copies or none.
      return againAfterDeadlock(
        db.dialect,
        () => db.main.transaction(undefined, (tx) => putBoth(tx, live, working)),
        ATTEMPTS,
      )
    }
    if (live) return write(live, 'publish', { turn })
    return write(working ?? NOTHING, live === null ? 'unpublish' : 'draft', { turn })

    async function putBoth(tx: Tx, shown: Copy, drafted: Copy): Promise<Imported> {
      const first = await write(shown, 'publish', { tx })
      const second = await write(drafted, 'draft', { tx })
      return { ...second, created: first.created, changed: first.changed || second.changed }
    }

    /** Found by its id and language, else made. */
    async function write(
      copy: Copy,
      status: Status,
      how: { readonly tx?: Tx; readonly turn?: Turn },
    ): Promise<Imported> {
      const { document_id: documentId, locale = null } = record
      const input = inputOf(record, copy)
      try {
        // In a transaction it may have been made a moment ago.
        if (isThere || how.tx) {
          const options = { mode: 'merge', status, ...how } as const
          const written = await entries.update(actor, type, { documentId, locale }, input, options)
          return { ...written, created: false }
        }
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error
      }
      const made = { ...input, documentId, locale }
      const options = { status: status === 'publish' ? 'published' : 'draft', ...how } as const
      return { ...(await entries.create(actor, type, made, options)), created: true }
    }
  }

  /** Which of them are here in their language. */
  async function findThere(type: ContentType, records: readonly ImportRecord[]) {
    const ids = records.map(({ document_id }) => document_id.toLowerCase())
    const reader: Kysely<ContentTables> = db.main.reader
    const rows = await reader
      .selectFrom('content_entries')
      .select(['document_id', 'locale'])
      .where('type_no', '=', type.no)
      .where(db.dialect.isOneOf(sql.ref('document_id'), ids, 'text'))
      .execute()
    const found = new Set(rows.map((row) => keyOf(type, row.document_id, row.locale)))
    return ({ document_id, locale }: ImportRecord) =>
      found.has(keyOf(type, document_id.toLowerCase(), localeOf(type, locale, model())))
  }
}

export type EntryImport = ReturnType<typeof createEntryImport>

const NOTHING: Copy = { values: {} }
const AFTER_OTHERS = new Set(['invalid_reference', 'lost_race'])

const toDone = (value: Imported): Done<Imported> => ({ value })
const toFailed = (error: unknown): Done<Imported> => ({ error })

/** What has no languages has one variant, whatever it is stored with. */
function keyOf({ localized }: ContentType, documentId: string, locale: string | undefined): string {
  return localized ? `${documentId} ${locale}` : documentId
}

/** Neighbours that cannot meet: two languages of a document write to the same rows. */
function* thatDoNotMeet(
  type: ContentType,
  records: readonly ImportRecord[],
): Generator<readonly ImportRecord[]> {
  let some: ImportRecord[] = []
  let taken = new Set<string>()
  for (const record of records) {
    const own = [record.document_id.toLowerCase(), ...claimsIn(type, record)]
    if (some.length === AT_ONCE || own.some((each) => taken.has(each))) {
      yield some
      some = []
      taken = new Set()
    }
    some.push(record)
    for (const each of own) taken.add(each)
  }
  yield some
}

function claimsIn(
  type: ContentType,
  { external_id, live, working }: ImportRecord,
): readonly string[] {
  return [{ external_id }, live?.values ?? {}, working?.values ?? {}].flatMap((sent) =>
    claimsOf(type, sent),
  )
}

/** Refused for the sake of something that a record before it may have changed. */
function mayHaveWaited(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false
  return error.kind === 'conflict' || AFTER_OTHERS.has(error.code)
}

function inputOf({ created_at, external_id }: ImportRecord, copy: Copy): EntryInput {
  return {
    values: copy.values,
    asItWas: true,
    ...(external_id === undefined ? {} : { externalId: external_id }),
    ...timeOf('createdAtMs', created_at, 'created_at'),
    ...timeOf('updatedAtMs', copy.updated_at, 'updated_at'),
    ...timeOf('publishedAtMs', copy.published_at, 'published_at'),
  }
}

function timeOf<Name extends string>(name: Name, text: string | undefined, path: string) {
  if (text === undefined) return {}
  const ms = parseTime(text)
  // A leap second has the form of a time and is none that could be kept.
  if (ms === undefined) {
    const message = `${path} must be a time as 2026-03-01T09:00:00Z`
    throw invalid([{ path: [path], rule: 'format', message }])
  }
  return { [name]: ms }
}
