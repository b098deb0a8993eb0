import type { ContentType, RelationAttribute } from '../../model.ts'
import { type Sql, sql } from '../fragment.ts'
import type { IndexedStep, Step } from '../names/fields.ts'
import { allOf, type Compiling, column, isVisible, localeOf, type Row } from './context.ts'

export type OwnerRow = Extract<Row, { kind: 'entry' | 'part' }>

export function isOwner(row: Row): row is OwnerRow {
  return row.kind === 'entry' || row.kind === 'part'
}

/** What a step leads to, as parts of a subquery. */
export interface Related {
  readonly row: Row
  readonly from: Sql
  /** Conditions that do not mention the row the step starts from. */
  readonly where: Sql
  /** Pairs of columns that join it: inside the subquery and of the starting row. */
  readonly keys: readonly { readonly inner: Sql; readonly outer: Sql }[]
  /** Depends on the starting row by its keys alone. */
  readonly free: boolean
  /** Order in which the relation keeps what it refers to. */
  readonly position: Sql
}

/**
 * The entries, files or components that a row refers to by one attribute, as its state shows them.
 * `begin` says at which end the database will find few rows, so that it follows the links from there.
 */
export function related(
  to: Compiling,
  start: OwnerRow,
  step: Step,
  begin: 'start' | 'end' = 'start',
): Related {
  switch (step.kind) {
    case 'component':
      return parts(to, start, step)
    case 'media':
      return files(to, start, step)
    case 'indexed':
      return indexed(to, start, step)
    case 'relation':
      return step.attribute.side === 'owning'
        ? targets(to, start, step.attribute, step.target, begin)
        : owners(to, start, step.attribute, step.target)
  }
}

export function joined({ keys, where }: Related): Sql {
  return allOf([...keys.map(({ inner, outer }) => sql`${inner} = ${outer}`), where])
}

function parts(
  to: Compiling,
  start: OwnerRow,
  { attribute, component }: Extract<Step, { kind: 'component' }>,
): Related {
  const alias = to.alias('c')
  const { copy, part } = owner(start)
  return {
    row: { kind: 'part', alias, component, locale: start.locale },
    from: sql`${sql.table(component.table)} as ${sql.ref(alias)}`,
    where: allOf([
      sql`${column(alias, 'attribute_no')} = ${sql.lit(attribute.no)}`,
      ...(start.kind === 'entry' ? [sql`${column(alias, 'parent_part')} = 0`] : []),
    ]),
    keys: [
      { inner: column(alias, 'owner_copy'), outer: copy },
      ...(part ? [{ inner: column(alias, 'parent_part'), outer: part }] : []),
    ],
    free: true,
    position: column(alias, 'position'),
  }
}

function files(
  to: Compiling,
  start: OwnerRow,
  { attribute }: Extract<Step, { kind: 'media' }>,
): Related {
  const links = to.alias('l')
  const alias = to.alias('t')
  return {
    row: { kind: 'file', alias },
    from: sql`content_links as ${sql.ref(links)} join content_files as ${sql.ref(alias)} on ${column(alias, 'uuid')} = ${column(links, 'target')}`,
    free: true,
    ...owned(start, links, attribute.no),
  }
}

/** What modules said of the copy itself. */
function indexed(to: Compiling, start: OwnerRow, { key }: IndexedStep): Related {
  const alias = to.alias('i')
  return {
    row: { kind: 'indexed', alias },
    from: sql`content_index_values as ${sql.ref(alias)}`,
    where: sql`${column(alias, 'field')} = ${sql.val(key)}`,
    keys: [{ inner: column(alias, 'copy_no'), outer: owner(start).copy }],
    free: true,
    position: column(alias, 'position'),
  }
}

function targets(
  to: Compiling,
  start: OwnerRow,
  attribute: RelationAttribute,
  target: ContentType,
  begin: 'start' | 'end',
): Related {
  const links = to.alias('l')
  const alias = to.alias('t')
  const document = column(
    begin === 'start' ? links : alias,
    begin === 'start' ? 'target' : 'document_id',
  )
  const isLinked = sql`${column(alias, 'document_id')} = ${column(links, 'target')}`
  const variant = { type: target, document, locale: start.locale.sql }
  const shown = target.localized
    ? allOf([
        sql`${column(alias, 'copy_no')} = (${shownVariant(to, variant)})`,
        ...(begin === 'end' ? [isLinked, isVisible(to, target, alias)] : []),
      ])
    : allOf([isLinked, isVisible(to, target, alias)])
  return {
    row: { kind: 'entry', alias, type: target, locale: localeOf(to, target, alias) },
    from: sql`content_links as ${sql.ref(links)} join ${sql.table(target.table)} as ${sql.ref(alias)} on ${shown}`,
    free: !target.localized || start.locale.fixed,
    ...owned(start, links, attribute.linkNo),
  }
}

/** Links that the row's copy owns. */
function owned(start: OwnerRow, links: string, attributeNo: number) {
  const { copy, part } = owner(start)
  return {
    where: allOf([
      sql`${column(links, 'attribute_no')} = ${sql.lit(attributeNo)}`,
      ...(start.kind === 'entry' ? [sql`${column(links, 'owner_part')} = 0`] : []),
    ]),
    keys: [
      { inner: column(links, 'owner_copy'), outer: copy },
      ...(part ? [{ inner: column(links, 'owner_part'), outer: part }] : []),
    ],
    position: column(links, 'position'),
  }
}

function owner(start: OwnerRow): { copy: Sql; part: Sql | null } {
  if (start.kind === 'entry') return { copy: column(start.alias, 'copy_no'), part: null }
  return { copy: column(start.alias, 'owner_copy'), part: column(start.alias, 'part_id') }
}

/** From the inverse side: the copies that link to the row's document. */
function owners(
  to: Compiling,
  start: OwnerRow,
  attribute: RelationAttribute,
  target: ContentType,
): Related {
  const links = to.alias('l')
  const alias = to.alias('t')
  const isLinking = (copy: string) => {
    const other = to.alias('l')
    return sql`exists (select 1 from content_links as ${sql.ref(other)} where ${column(other, 'owner_copy')} = ${column(copy, 'copy_no')} and ${column(other, 'attribute_no')} = ${sql.lit(attribute.linkNo)} and ${column(other, 'target')} = ${column(links, 'target')})`
  }
  const document = column(alias, 'document_id')
  const variant = { type: target, document, locale: start.locale.sql, isLinking }
  const shown = allOf([
    sql`${column(alias, 'copy_no')} = ${column(links, 'owner_copy')}`,
    isVisible(to, target, alias),
    ...(target.localized
      ? [sql`${column(alias, 'copy_no')} = (${shownVariant(to, variant)})`]
      : []),
  ])
  return {
    row: { kind: 'entry', alias, type: target, locale: localeOf(to, target, alias) },
    from: sql`content_links as ${sql.ref(links)} join ${sql.table(target.table)} as ${sql.ref(alias)} on ${shown}`,
    where: sql`${column(links, 'attribute_no')} = ${sql.lit(attribute.linkNo)}`,
    keys: [{ inner: column(links, 'target'), outer: column(start.alias, 'document_id') }],
    free: !target.localized || start.locale.fixed,
    position: column(links, 'target_position'),
  }
}

interface Variants {
  readonly type: ContentType
  readonly document: Sql
  readonly locale: Sql
  /** Only these count, when given. */
  readonly isLinking?: (alias: string) => Sql
}

/**
 * The copy that shows a document: in the given locale, else in the default locale, else the oldest
 * (content model §4).
 */
function shownVariant(to: Compiling, { type, document, locale, isLinking }: Variants): Sql {
  const alias = to.alias('x')
  const candidate = allOf([
    sql`${column(alias, 'document_id')} = ${document}`,
    isVisible(to, type, alias),
    ...(isLinking ? [isLinking(alias)] : []),
  ])
  const rank = sql`case ${column(alias, 'locale')} when ${locale} then 0 when ${to.defaultLocale} then 1 else 2 end`
  return sql`select ${column(alias, 'copy_no')} from ${sql.table(type.table)} as ${sql.ref(alias)} where ${candidate} order by ${rank}, ${column(alias, 'id')} limit 1`
}
