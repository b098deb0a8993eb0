import { type Kysely, sql } from 'kysely'
import type { AnyTables } from './database.ts'
import { prepared } from './prepared.ts'

type Db = Kysely<AnyTables>

interface NumbersWanted {
  readonly name: string
  readonly count: number
}

/** Rising numbers from 1. A number taken by a write that is undone may be lost, never given twice. */
export interface Sequences {
  /** Once per database, by a migration. */
  prepare(db: Db): Promise<void>
  /** Names are ours (`content_v12_id`), never a user's. */
  create(db: Db, name: string): Promise<void>
  drop(db: Db, name: string): Promise<void>
  /** `count` numbers in rising order. */
  take(db: Db, name: string, count: number): Promise<number[]>
  /** One number of each of these sequences, in their order. */
  takeEach(db: Db, names: readonly string[]): Promise<number[]>
  /**
   * Numbers of several sequences by one read, before anything is written. The last one used of each must be kept
   * by the write that uses them.
   */
  reserve(db: Db, wanted: readonly NumbersWanted[]): Promise<number[][]>
  keep(db: Db, name: string, last: number): Promise<void>
  /** Numbers up to `value` will not be given, for stores whose numbers came from elsewhere. */
  skipTo(db: Db, name: string, value: number): Promise<void>
}

interface Tables {
  kernel_sequences: { name: string; value: number }
}

type Own = Pick<Sequences, 'prepare' | 'create' | 'drop' | 'reserve' | 'keep' | 'skipTo'>

/**
 * For a database of one process: its threads share the last number of each sequence in memory, so that it
 * can be taken by a read. The row follows in the write that uses the number.
 */
export const rowSequences = withTaking({
  async prepare(db) {
    await db.schema
      .createTable('kernel_sequences')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
  },
  async create(db, name) {
    await own(db).insertInto('kernel_sequences').values({ name, value: 0 }).execute()
    // Its row may have the place of one that was dropped.
    await sql`select forget_numbers(rowid) from kernel_sequences where name = ${name}`.execute(db)
  },
  async drop(db, name) {
    await own(db).deleteFrom('kernel_sequences').where('name', '=', name).execute()
  },
  async reserve(db, wanted) {
    const parts = wanted.map(
      ({ name, count }, at) => sql`
        select ${sql.lit(at)} as at, take_numbers(rowid, value, ${count}) as last
        from kernel_sequences where name = ${name}`,
    )
    const { rows } = await sql<{ at: number; last: number }>`
      select * from (${sql.join(parts, sql` union all `)})`.execute(db)
    const lasts = new Map(rows.map(({ at, last }) => [at, last]))
    return wanted.map(({ name, count }, at) => {
      const last = given(lasts.get(at), name)
      return Array.from({ length: count }, (_, index) => last - count + 1 + index)
    })
  },
  keep: raise,
  skipTo: raise,
})

/** For a database with many writers: its own sequences, which nobody has to wait for. */
export const nativeSequences = withTaking({
  async prepare() {},
  async create(db, name) {
    await sql`create sequence ${sql.id(name)}`.execute(db)
  },
  async drop(db, name) {
    await sql`drop sequence ${sql.id(name)}`.execute(db)
  },
  async reserve(db, wanted) {
    const parts = wanted.map(
      ({ name, count }, at) => sql`
        select ${sql.lit(at)} as at, nextval(${name}::regclass) as value
        from generate_series(1, ${count}::int)`,
    )
    const { rows } = await sql<{ at: number; value: number }>`
      select * from (${sql.join(parts, sql` union all `)}) as taken`.execute(db)
    const lists = Map.groupBy(rows, ({ at }) => at)
    return wanted.map((_, at) =>
      (lists.get(at) ?? []).map(({ value }) => value).sort((a, b) => a - b),
    )
  },
  async keep() {},
  async skipTo(db, name, value) {
    await sql`
      select setval(${name}::regclass, greatest(nextval(${name}::regclass), ${value}::bigint))
    `.execute(db)
  },
})

function withTaking(sequences: Own): Sequences {
  return { ...sequences, take, takeEach }

  async function take(db: Db, name: string, count: number): Promise<number[]> {
    const [numbers = []] = await sequences.reserve(db, [{ name, count }])
    await sequences.keep(db, name, numbers.at(-1) ?? 0)
    return numbers
  }

  async function takeEach(db: Db, names: readonly string[]): Promise<number[]> {
    const lists = await sequences.reserve(
      db,
      names.map((name) => ({ name, count: 1 })),
    )
    const numbers = names.map((name, at) => given(lists[at]?.[0], name))
    for (const [at, name] of names.entries()) await sequences.keep(db, name, numbers[at] ?? 0)
    return numbers
  }
}

async function raise(db: Db, name: string, value: number): Promise<void> {
  const query = prepared(db, 'raise a sequence', [value, name, value], () =>
    own(db)
      .updateTable('kernel_sequences')
      .set({ value })
      .where('name', '=', name)
      .where('value', '<', value),
  )
  await db.executeQuery(query)
}

function given(value: number | undefined, name: string): number {
  if (value === undefined) throw new Error(`there is no sequence ${name}`)
  return value
}

function own(db: Db): Kysely<Tables> {
  return db
}
