import { type Kysely, sql } from 'kysely'
import type { AnyTables } from './database.ts'

type Db = Kysely<AnyTables>

/** Rising numbers from 1. A number taken by a transaction that is undone may be lost, never given twice. */
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
  /** Numbers up to `value` will not be given, for stores whose numbers came from elsewhere. */
  skipTo(db: Db, name: string, value: number): Promise<void>
}

interface Tables {
  kernel_sequences: { name: string; value: number }
}

/** For a database with one writer at a time: a row per sequence. */
export const rowSequences: Sequences = {
  async prepare(db) {
    await db.schema
      .createTable('kernel_sequences')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
  },
  async create(db, name) {
    await own(db).insertInto('kernel_sequences').values({ name, value: 0 }).execute()
  },
  async drop(db, name) {
    await own(db).deleteFrom('kernel_sequences').where('name', '=', name).execute()
  },
  async take(db, name, count) {
    const { value } = await own(db)
      .updateTable('kernel_sequences')
      .set((row) => ({ value: row('value', '+', count) }))
      .where('name', '=', name)
      .returning('value')
      .executeTakeFirstOrThrow()
    return Array.from({ length: count }, (_, index) => value - count + 1 + index)
  },
  async takeEach(db, names) {
    const rows = await own(db)
      .updateTable('kernel_sequences')
      .set((row) => ({ value: row('value', '+', 1) }))
      .where('name', 'in', names)
      .returning(['name', 'value'])
      .execute()
    const taken = new Map(rows.map(({ name, value }) => [name, value]))
    return names.map((name) => given(taken.get(name), name))
  },
  async skipTo(db, name, value) {
    await own(db)
      .updateTable('kernel_sequences')
      .set({ value })
      .where('name', '=', name)
      .where('value', '<', value)
      .execute()
  },
}

/** For a database with many writers: its own sequences, which nobody has to wait for. */
export const nativeSequences: Sequences = {
  async prepare() {},
  async create(db, name) {
    await sql`create sequence ${sql.id(name)}`.execute(db)
  },
  async drop(db, name) {
    await sql`drop sequence ${sql.id(name)}`.execute(db)
  },
  async take(db, name, count) {
    const { rows } = await sql<{ value: number }>`
      select nextval(${name}::regclass) as value from generate_series(1, ${count}::int)
    `.execute(db)
    return rows.map(({ value }) => value)
  },
  async takeEach(db, names) {
    const taken = names.map(
      (name, index) => sql`nextval(${name}::regclass) as ${sql.ref(`n${index}`)}`,
    )
    const { rows } = await sql<Record<string, number>>`select ${sql.join(taken)}`.execute(db)
    return names.map((name, index) => given(rows[0]?.[`n${index}`], name))
  },
  async skipTo(db, name, value) {
    await sql`
      select setval(${name}::regclass, greatest(nextval(${name}::regclass), ${value}::bigint))
    `.execute(db)
  },
}

function given(value: number | undefined, name: string): number {
  if (value === undefined) throw new Error(`there is no sequence ${name}`)
  return value
}

function own(db: Db): Kysely<Tables> {
  return db
}
