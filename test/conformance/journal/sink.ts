import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Database, Store, Tx } from '#db'
import { type Log, random } from '#kernel'
import { silentLog, type TestDatabase } from '#test-kit'
import { createJournalDrain, type JournalDrain } from '../../../src/kernel/journal/drain.ts'
import { type Journal, openJournal } from '../../../src/kernel/journal/open.ts'
import type { JournalRecord } from '../../../src/kernel/journal/segment-reader.ts'
import { createJournalWriter, type JournalWriter } from '../../../src/kernel/journal/writer.ts'

interface Tables {
  sink: { record_id: string; name: string }
}

export interface Faults {
  /** Stands between the drain and the real store. */
  readonly wrap?: (store: Store) => Store
  readonly beforeCommit?: () => void | Promise<void>
}

export interface Boot {
  readonly journal: Journal
  readonly drain: JournalDrain
  readonly warnings: object[]
  writer(name?: string): JournalWriter
  /** As after SIGKILL: nothing is drained, closed or removed any more. */
  die(): void
}

export interface Limits {
  readonly maxTotalBytes?: number
  readonly maxSegmentBytes?: number
  readonly maxSegmentAgeMs?: number
}

export async function createSink({ aux, dialect }: Database): Promise<void> {
  await aux.writer.schema
    .createTable('sink')
    .addColumn('record_id', dialect.types.text, (column) => column.notNull())
    .addColumn('name', dialect.types.text, (column) => column.notNull())
    .execute()
}

/** One start of a process with a journal in `directory`. */
export function boot(
  { database, clock }: Pick<TestDatabase, 'database' | 'clock'>,
  directory: string,
  { faults = {}, limits = {} }: { faults?: Faults; limits?: Limits } = {},
): Boot {
  const journal = openJournal({ directory, clock, random, maxTotalBytes: 2 ** 30, ...limits })
  const warnings: object[] = []
  const log: Log = { ...silentLog, warn: (entry: object) => void warnings.push(entry) }
  const store = faults.wrap?.(database.aux) ?? database.aux
  const handle = async (tx: Tx, records: readonly JournalRecord[]) => {
    const rows = records.map(({ id, data }) => ({ record_id: id, name: nameOf(data) }))
    await tx.as<Tables>().insertInto('sink').values(rows).execute()
    await faults.beforeCommit?.()
  }
  return {
    journal,
    drain: createJournalDrain({ journal, store, handle, clock, log }),
    warnings,
    writer: (name = 'test') =>
      createJournalWriter({ address: journal.address, name, clock, log: silentLog }),
    die: () => journal.close(),
  }
}

/** The names of all handled records that begin with `prefix`, doubled ones doubled. */
export async function handled({ aux }: Database, prefix: string): Promise<string[]> {
  const writer: Kysely<Tables> = aux.writer
  const rows = await writer
    .selectFrom('sink')
    .select('name')
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name)
}

export async function positionsLeft({ aux }: Database, journal: Journal): Promise<string[]> {
  const rows = await aux.writer
    .selectFrom('kernel_journal_positions')
    .select('segment')
    .where('segment', 'like', `${journal.address.boot}-%`)
    .execute()
  return rows.map((row) => row.segment)
}

export function segmentFiles(directory: string): string[] {
  return readdirSync(directory).filter((file) => !file.endsWith('.lock'))
}

function nameOf(data: unknown): string {
  if (typeof data === 'object' && data && 'name' in data) return String(data.name)
  throw new Error('not a record of this test')
}
