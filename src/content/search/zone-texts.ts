import type { SqlDialect } from '#db'
import { kindOf } from '../fields/index.ts'
import { foldColumnOf } from '../fields/kind.ts'
import { type Component, type ContentModel, type ContentType, componentsIn } from '../model.ts'
import { type Sql, sql } from '../query/fragment.ts'
import { searchedOf } from './indexed.ts'

/** The texts of one component in the zones of a type. */
export interface ZoneTexts {
  readonly component: Component
  readonly zoneNos: readonly number[]
  /** Columns of folded text. */
  readonly columns: readonly string[]
}

/** None where a type has no zones. What lies in a component of a component is not searched. */
export function zoneTextsOf(
  model: Pick<ContentModel, 'findComponent'>,
  { attributes }: Pick<ContentType, 'attributes'>,
): readonly ZoneTexts[] {
  const zones = attributes.filter(
    (attribute) => attribute.type === 'dynamiczone' && attribute.searchable && !attribute.private,
  )
  const held = zones.flatMap((zone) =>
    componentsIn(model, zone).map((component) => ({ component, no: zone.no })),
  )
  return [...Map.groupBy(held, ({ component }) => component)].flatMap(([component, own]) => {
    const texts = searchedOf(component).filter((each) => kindOf(each).column.folded)
    if (texts.length === 0) return []
    return [{ component, zoneNos: own.map(({ no }) => no), columns: texts.map(foldColumnOf) }]
  })
}

/** Whether a text in a zone of the copy fulfils what is said of a column. */
export function inZones(
  zones: readonly ZoneTexts[],
  copyNo: Sql,
  fulfils: (column: Sql) => Sql,
): readonly Sql[] {
  return zones.map(({ component, zoneNos, columns }) => {
    const any = sql.join(
      columns.map((name) => fulfils(sql.ref(`z.${name}`))),
      sql` or `,
    )
    const within = sql.join(zoneNos.map((no) => sql.lit(no)))
    return sql`exists (select 1 from ${sql.table(component.table)} as z where z.owner_copy = ${copyNo} and z.attribute_no in (${within}) and z.parent_part = 0 and (${any}))`
  })
}

/** As the index holds texts, so that words are found alike in zones and elsewhere. */
export function spacedContains(dialect: SqlDialect, part: string): (column: Sql) => Sql {
  return (column) => dialect.contains(dialect.textIndex.spaced(column), sql.val(part))
}
