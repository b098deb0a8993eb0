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
  /** The same without asking the database; undefined: it has to be asked, and nothing was taken. */
  reserveAtOnce(wanted: readonly NumbersWanted[]): number[][] | undefined
  /** The last number used of each, by name. */
  keep(db: Db, lasts: ReadonlyMap<string, number>): Promise<void>
  /** Numbers up to `value` will not be given, for stores whose numbers came from elsewhere. */
  skipTo(db: Db, name: string, value: number): Promise<void>
}

interface Tables {
  kernel_sequences: { name: string; value: number }
}

type Own = Omit<Sequences, 'take' | 'takeEach'>

/** The last number given of each sequence, in memory that all threads share. */
interface KnownLasts {
  /** The last of so many numbers; undefined while the memory does not know the sequence. */
  takeKnown(slot: number, count: number): number | undefined
  isKnown(slot: number): boolean
}

/**
 * For a database of one process: its threads share the last number of each sequence in memory, so that it
 * can be taken by a read, and without one when it was read before. The row follows in the write that uses the number.
 */
export function rowSequences(lasts: KnownLasts): Sequences {
  /** The row of a sequence stands for its place in that memory; no name is ever used twice. */
  const slots = new Map<string, number>()
  return withTaking({ ...rows, reserve, reserveAtOnce })

  async function reserve(db: Db, wanted: readonly NumbersWanted[]): Promise<number[][]> {
    const parts = wanted.map(
      ({ name, count }, at) => sql`
        select ${sql.lit(at)} as at, rowid as slot, take_numbers(rowid, value, ${count}) as last
        from kernel_sequences where name = ${name}`,
    )
    const { rows } = await sql<{ at: number; slot: number; last: number }>`
      select * from (${sql.join(parts, sql` union all `)})`.execute(db)
    const found = new Map(rows.map((row) => [row.at, row]))
    return wanted.map(({ name, count }, at) => {
      const { slot = 0, last } = found.get(at) ?? {}
      const numbers = upTo(given(last, name), count)
      slots.set(name, slot)
      return numbers
    })
  }

  function reserveAtOnce(wanted: readonly NumbersWanted[]): number[][] | undefined {
    const taken: number[][] = []
    for (const { name } of wanted) if (!lasts.isKnown(slots.get(name) ?? 0)) return undefined
    for (const { name, count } of wanted) {
      const last = lasts.takeKnown(slots.get(name) ?? 0, count)
      if (last === undefined) return undefined
      taken.push(upTo(last, count))
    }
    return taken
  }
}

function upTo(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}

const rows = {
  async prepare(db: Db) {
    await db.schema
      .createTable('kernel_sequences')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
  },
  async create(db: Db, name: string) {
    await own(db).insertInto('kernel_sequences').values({ name, value: 0 }).execute()
    // Its row may have the place of one that was dropped.
    await sql`select forget_numbers(rowid) from kernel_sequences where name = ${name}`.execute(db)
  },
  async drop(db: Db, name: string) {
    await own(db).deleteFrom('kernel_sequences').where('name', '=', name).execute()
  },
  keep: raise,
  /** The memory hears of it when the database is asked for the next number; only a migration skips. */
  skipTo: (db: Db, name: string, value: number) => raise(db, new Map([[name, value]])),
}

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
    const values = wanted.flatMap(({ name, count }) => [name, count])
    const query = prepared(db, `reserve of ${wanted.length}`, values, () => {
      const parts = wanted.map(
        ({ name, count }, at) => sql`
          select ${sql.lit(at)} as at, nextval(${name}::regclass) as value
          from generate_series(1, ${count}::int)`,
      )
      const text = sql<{ at: number; value: number }>`
        select * from (${sql.join(parts, sql` union all `)}) as taken`
      return { compile: () => text.compile(db) }
    })
    const { rows } = await db.executeQuery(query)
    const lists = Map.groupBy(rows, ({ at }) => at)
    return wanted.map((_, at) =>
      (lists.get(at) ?? []).map(({ value }) => value).sort((a, b) => a - b),
    )
  },
  reserveAtOnce: () => undefined,
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
    await sequences.keep(db, new Map([[name, numbers.at(-1) ?? 0]]))
    return numbers
  }

  async function takeEach(db: Db, names: readonly string[]): Promise<number[]> {
    const lists = await sequences.reserve(
      db,
      names.map((name) => ({ name, count: 1 })),
    )
    const numbers = names.map((name, at) => given(lists[at]?.[0], name))
    await sequences.keep(db, new Map(names.map((name, at) => [name, numbers[at] ?? 0])))
    return numbers
  }
}

/** All of them by one statement: every write raises some. */
async function raise(db: Db, lasts: ReadonlyMap<string, number>): Promise<void> {
  const values = [...lasts].flat()
  const text = () => {
    const list = [...lasts].map(([name, last]) => sql`(${name}, ${last})`)
    // Rows that are there: half of what an update from a list would cost.
    const query = sql`
      insert into kernel_sequences (name, value) values ${sql.join(list)}
      on conflict (name) do update set value = excluded.value
      where kernel_sequences.value < excluded.value`
    return { compile: () => query.compile(db) }
  }
  await db.executeQuery(prepared(db, `raise ${lasts.size} sequences`, values, text))
}

function given(value: number | undefined, name: string): number {
  if (value === undefined) throw new Error(`there is no sequence ${name}`)
  return value
}

function own(db: Db): Kysely<Tables> {
  return db
}
