import type { Database, Tx } from '#db'
import { type Actor, DomainError, invalid, parseTime } from '#kernel'
import type { Entries, EntryInput, UpdateOptions, Written } from '../entries/ports.ts'
import type { ContentType } from '../model.ts'
import type { ImportRecord } from './schemas.ts'

interface Deps {
  readonly db: Database
  readonly entries: Entries
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

/**
 * Entries as another system had them: their ids and times are given, live and working copy differ where they did,
 * and what was live is live. A record that is sent again changes nothing.
 */
export function createEntryImport({ db, entries }: Deps) {
  return { put }

  async function put(actor: Actor, type: ContentType, record: ImportRecord): Promise<Imported> {
    const { live, working } = record
    if (!live && !working) {
      throw invalid([{ path: ['live'], rule: 'required', message: 'live or working is required' }])
    }
    // Whoever reads meanwhile sees both copies or none.
    if (live && working) return db.main.transaction(undefined, (tx) => putBoth(tx, live, working))
    if (live) return write(live, 'publish')
    return write(working ?? NOTHING, live === null ? 'unpublish' : 'draft')

    async function putBoth(tx: Tx, shown: Copy, drafted: Copy): Promise<Imported> {
      const first = await write(shown, 'publish', tx)
      const second = await write(drafted, 'draft', tx)
      return { ...second, created: first.created, changed: first.changed || second.changed }
    }

    /** Found by its id and language, else made. */
    async function write(copy: Copy, status: Status, tx?: Tx): Promise<Imported> {
      const { document_id: documentId, locale = null } = record
      const input = inputOf(record, copy)
      try {
        const options = { mode: 'merge', status, tx } as const
        const written = await entries.update(actor, type, { documentId, locale }, input, options)
        return { ...written, created: false }
      } catch (error) {
        if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error
      }
      const made = { ...input, documentId, locale }
      const options = { status: status === 'publish' ? 'published' : 'draft', tx } as const
      return { ...(await entries.create(actor, type, made, options)), created: true }
    }
  }
}

export type EntryImport = ReturnType<typeof createEntryImport>

const NOTHING: Copy = { values: {} }

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
