import { type Kysely, sql } from 'kysely'
import { prepared, type SqlDialect, type Tx } from '#db'
import type { FormerType, Locale } from '../model.ts'
import { levelFor, usualPermissions } from '../permissions.ts'
import type { ContentTables } from '../tables.ts'
import type { Changing } from './changing.ts'
import type {
  ComponentDefinition,
  StoredComponent,
  StoredModel,
  StoredType,
  TypeDefinition,
} from './definition.ts'
import { componentUid } from './definition.ts'

type Db = Kysely<ContentTables>

interface ModelRow {
  readonly what: 'type' | 'component' | 'locale' | 'former' | 'searched' | 'relocating'
  readonly no: number
  readonly key: string
  readonly body: string
  readonly figure: number
  /** Of a locale; of a type the change that is under way. */
  readonly more: string | null
  readonly created_at: number
  readonly updated_at: number
}

/** What a type is marked with whose table is being made. Nobody sees it yet, and its name is still free. */
const MAKING = 'making'

/** One statement, so that also beside other writers what it reads belongs together. */
export async function readModel(db: Db): Promise<StoredModel> {
  const { rows } = await sql<ModelRow>`
    select 'type' as what, no, uuid as key, definition as body, shape as figure,
      changing as more, created_at, updated_at from content_types
      where changing is null or changing <> ${MAKING}
    union all
    select 'component', no, uid, definition, shape, null, created_at, updated_at
      from content_components
    union all
    select 'locale', id, code, name, is_default, fallback, created_at, updated_at
      from content_locales
    union all
    select 'former', removed_at, singular_name, read_level, 0, null, removed_at, removed_at
      from content_former_types
    union all
    select 'searched', type_no, '', '', 0, null, 0, 0
      from content_search_types where ready = 1
    union all
    select 'relocating', 0, table_name, '', 0, null, 0, 0 from content_indexes
      where name like 'content_v%_tidy' and definition like '%"relocate":true%'`.execute(db)
  const ordered = rows.toSorted((a, b) => a.no - b.no)
  const types = ordered.filter(({ what }) => what === 'type').map(toType)
  return {
    types,
    formerTypes: ordered.filter(({ what }) => what === 'former').map(toFormer),
    components: ordered.filter(({ what }) => what === 'component').map(toComponent),
    locales: ordered.filter(({ what }) => what === 'locale').map(toLocale),
    searched: new Set(rows.filter(({ what }) => what === 'searched').map(({ no }) => no)),
    relocating: new Set(
      rows
        .filter(({ what }) => what === 'relocating')
        .map(({ key }) => Number(key.slice('content_v'.length))),
    ),
  }
}

function toFormer({ key, body, updated_at }: ModelRow): FormerType {
  const readLevel = LEVELS.find((level) => level === body) ?? 'admin'
  return { singularName: key, readLevel, removedAtMs: updated_at }
}

const LEVELS = ['none', 'read', 'write', 'admin'] as const

function isHigher(one: FormerType['readLevel'], other: FormerType['readLevel']): boolean {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other)
}

function toType({ no, key, body, figure, more, created_at, updated_at }: ModelRow): StoredType {
  const definition = withPermissions(JSON.parse(body))
  const changing: Changing | null = more === null ? null : JSON.parse(more)
  const times = { createdAtMs: created_at, updatedAtMs: updated_at }
  return { no, uuid: key, shape: figure, definition, changing, ...times }
}

/** Definitions that were stored before there were permissions have `publicRead` alone. */
function withPermissions(
  stored: Omit<TypeDefinition, 'permissions'> & Partial<Pick<TypeDefinition, 'permissions'>>,
): TypeDefinition {
  return { ...stored, permissions: stored.permissions ?? usualPermissions(stored.publicRead) }
}

function toComponent({ no, body, figure, created_at, updated_at }: ModelRow): StoredComponent {
  const definition: ComponentDefinition = JSON.parse(body)
  return { no, shape: figure, definition, createdAtMs: created_at, updatedAtMs: updated_at }
}

function toLocale({ no, key, body, figure, more, ...times }: ModelRow): Locale {
  const { created_at: createdAtMs, updated_at: updatedAtMs } = times
  return {
    id: no,
    code: key,
    name: body,
    isDefault: figure === 1,
    fallback: more,
    createdAtMs,
    updatedAtMs,
  }
}

/** A type that nobody sees before `updateType`. */
export async function insertType(
  db: Db,
  { uuid, shape, definition, createdAtMs, updatedAtMs }: Omit<StoredType, 'no' | 'changing'>,
): Promise<number> {
  const row = {
    uuid,
    singular_name: uuid,
    definition: JSON.stringify(definition),
    shape,
    created_at: createdAtMs,
    updated_at: updatedAtMs,
    changing: MAKING,
  }
  const { no } = await db
    .insertInto('content_types')
    .values(row)
    .returning('no')
    .executeTakeFirstOrThrow()
  return no
}

/** As it is from now on; a change of it that was under way is done. */
export async function updateType(
  db: Db,
  { no, shape, definition, updatedAtMs }: Omit<StoredType, 'changing'>,
) {
  await db
    .updateTable('content_types')
    .set({
      singular_name: definition.singularName,
      definition: JSON.stringify(definition),
      shape,
      updated_at: updatedAtMs,
      changing: null,
    })
    .where('no', '=', no)
    .execute()
}

/** What was planned by the type as it was before is refused from now on, though its definition is the same. */
export async function noteChanging(
  db: Db,
  { no, updatedAtMs }: Pick<StoredType, 'no' | 'updatedAtMs'>,
  changing: Changing | null,
) {
  const text = changing && JSON.stringify(changing)
  await db
    .updateTable('content_types')
    .set({ changing: text, updated_at: updatedAtMs })
    .where('no', '=', no)
    .execute()
}

/** False, and nothing, when somebody else has ended the change or taken it over. */
export async function noteAlive(
  db: Db,
  { no, updatedAtMs }: Pick<StoredType, 'no' | 'updatedAtMs'>,
  changing: Changing,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('content_types')
    .set({ changing: JSON.stringify(changing) })
    .where('no', '=', no)
    .where('updated_at', '=', updatedAtMs)
    .where('changing', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteType(db: Db, no: number) {
  await db.deleteFrom('content_types').where('no', '=', no).execute()
}

/** Events that were told under this name can be found by it afterwards, by those who could read its entries. */
export async function rememberType(db: Db, definition: TypeDefinition, nowMs: number) {
  const { singularName } = definition
  const known = await db
    .selectFrom('content_former_types')
    .select('read_level')
    .where('singular_name', '=', singularName)
    .executeTakeFirst()
  const own = levelFor(definition, 'read')
  // Of two that had the name one after the other, the events cannot be told apart.
  const read_level = known && isHigher(known.read_level, own) ? known.read_level : own
  const row = { removed_at: nowMs, read_level }
  await db
    .insertInto('content_former_types')
    .values({ singular_name: singularName, ...row })
    .onConflict((conflict) => conflict.column('singular_name').doUpdateSet(row))
    .execute()
}

export async function insertComponent(
  db: Db,
  { shape, definition, createdAtMs, updatedAtMs }: Omit<StoredComponent, 'no'>,
): Promise<number> {
  const row = {
    uid: componentUid(definition),
    definition: JSON.stringify(definition),
    shape,
    created_at: createdAtMs,
    updated_at: updatedAtMs,
  }
  const { no } = await db
    .insertInto('content_components')
    .values(row)
    .returning('no')
    .executeTakeFirstOrThrow()
  return no
}

export async function updateComponent(
  db: Db,
  { no, shape, definition, updatedAtMs }: StoredComponent,
) {
  await db
    .updateTable('content_components')
    .set({
      uid: componentUid(definition),
      definition: JSON.stringify(definition),
      shape,
      updated_at: updatedAtMs,
    })
    .where('no', '=', no)
    .execute()
}

export async function deleteComponent(db: Db, no: number) {
  await db.deleteFrom('content_components').where('no', '=', no).execute()
}

type Names = Pick<SqlDialect, 'rowLocks' | 'lockName' | 'lockNameShared'>

/** What tells one definition of a type from the next. Not all that it says is part of its shape: drafts, languages. */
type Defined = Pick<StoredType, 'no' | 'shape' | 'updatedAtMs'>

/**
 * The definition of a type as it is stored, which stays until the transaction ends: writers of entries
 * hold it together, a change of the type waits for them and they for it. The lock is no row's: a lock
 * on the row would be written by every writer.
 */
export async function holdDefinition(
  db: Db,
  dialect: Names,
  no: number,
): Promise<Omit<Defined, 'no'> | undefined> {
  if (dialect.rowLocks) await dialect.lockNameShared(lockOf(no)).execute(db)
  return typeRow(db, no).select(['shape', 'updated_at as updatedAtMs']).executeTakeFirst()
}

/** The same for a plan, which knows the definition it was made for. */
export function guardDefinition(
  tx: Tx,
  db: Db,
  dialect: Names,
  { no, shape, updatedAtMs }: Defined,
): void {
  if (dialect.rowLocks) {
    const lock = dialect.lockNameShared(lockOf(no))
    tx.guard({ compile: () => lock.compile(db) })
  }
  const values = [no, shape, updatedAtMs]
  const same = () =>
    typeRow(db, no).select('no').where('shape', '=', shape).where('updated_at', '=', updatedAtMs)
  tx.guard({ compile: () => prepared(db, 'guard a definition', values, same) })
}

type Shaped = Pick<StoredComponent, 'no' | 'shape'>

/** Whether these components are stored as they are here. Whoever holds a type that has them holds them, too. */
export async function areComponentsSame(db: Db, components: readonly Shaped[]): Promise<boolean> {
  if (components.length === 0) return true
  const rows = await sameComponents(db, components).execute()
  return rows.length === components.length
}

export function guardComponents(tx: Tx, db: Db, components: readonly Shaped[]): void {
  if (components.length === 0) return
  const count = components.length
  const values = [...components.flatMap(({ no, shape }) => [no, shape]), count]
  const same = () =>
    db
      .selectFrom(sameComponents(db, components).as('same'))
      .select((query) => query.fn.countAll<number>().as('found'))
      .having((query) => query.fn.countAll(), '=', count)
  tx.guard({ compile: () => prepared(db, `guard ${count} components`, values, same) })
}

function sameComponents(db: Db, components: readonly Shaped[]) {
  return db
    .selectFrom('content_components')
    .select('no')
    .where((query) => query.or(components.map(({ no, shape }) => query.and({ no, shape }))))
}

function typeRow(db: Db, no: number) {
  return db.selectFrom('content_types').where('no', '=', no)
}

function lockOf(no: number): string {
  return `content type ${no}`
}

/** What was planned by these definitions before is planned anew, though they say what they said. */
export async function renewDefinitions(
  db: Db,
  types: readonly Pick<Defined, 'no' | 'updatedAtMs'>[],
  nowMs: number,
): Promise<void> {
  for (const { no, updatedAtMs } of types) {
    const updated_at = Math.max(nowMs, updatedAtMs + 1)
    await db.updateTable('content_types').set({ updated_at }).where('no', '=', no).execute()
  }
}

/** Before any of their tables is locked, or a writer and a change could wait for each other. */
export async function lockTypes(db: Db, dialect: Names, numbers: readonly number[]): Promise<void> {
  if (!dialect.rowLocks) return
  for (const no of numbers.toSorted((a, b) => a - b)) await dialect.lockName(lockOf(no)).execute(db)
}
