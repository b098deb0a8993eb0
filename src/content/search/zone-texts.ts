import type { SqlDialect } from '#db'
import { kindOf } from '../fields/index.ts'
import { foldColumnOf } from '../fields/kind.ts'
import {
  type Attribute,
  type Component,
  type ContentModel,
  componentsIn,
  type FieldSet,
} from '../model.ts'
import { type Sql, sql } from '../query/fragment.ts'
import { searchedOf } from './indexed.ts'

/** A kind of component that lies at one place: by which attributes it is held there. */
interface Held {
  readonly component: Component
  readonly attributeNos: readonly number[]
}

/** The texts of one component in the zones of a type, or in a component of one in these. */
export interface ZoneTexts extends Held {
  /** What it lies in: the component that holds it first, the one in a zone last; empty where that is itself. */
  readonly within: readonly Held[]
  /** Columns of folded text. */
  readonly columns: readonly string[]
}

type Model = Pick<ContentModel, 'findComponent'>

/** None where a type has no zones. */
export function zoneTextsOf(model: Model, type: FieldSet): readonly ZoneTexts[] {
  const zones = type.attributes.filter(({ type }) => type === 'dynamiczone')
  return heldIn(model, zones).flatMap((held) => textsIn(model, held, []))
}

/** Of a component and of those inside of it. */
function textsIn(model: Model, held: Held, within: readonly Held[]): readonly ZoneTexts[] {
  const { component } = held
  const texts = searchedOf(component).filter((each) => kindOf(each).column.folded)
  const own = texts.length > 0 ? [{ ...held, within, columns: texts.map(foldColumnOf) }] : []
  const inside = heldIn(model, component.attributes)
  return [...own, ...inside.flatMap((each) => textsIn(model, each, [held, ...within]))]
}

function heldIn(model: Model, attributes: readonly Attribute[]): readonly Held[] {
  const searched = attributes.filter((each) => each.searchable && !each.private)
  const held = searched.flatMap((attribute) =>
    componentsIn(model, attribute).map((component) => ({ component, no: attribute.no })),
  )
  return [...Map.groupBy(held, ({ component }) => component)].map(([component, own]) => {
    return { component, attributeNos: own.map(({ no }) => no) }
  })
}

/** Whether a text in a zone of the copy fulfils what is said of a column. */
export function inZones(
  zones: readonly ZoneTexts[],
  copyNo: Sql,
  fulfils: (column: Sql) => Sql,
): readonly Sql[] {
  return zones.map(({ within, columns, ...held }) => {
    const way = [held, ...within]
    const any = sql.join(
      columns.map((name) => fulfils(sql.ref(`z0.${name}`))),
      sql` or `,
    )
    const tables = way.map(({ component }, at) => sql`${sql.table(component.table)} as ${z(at)}`)
    const steps = way.map(({ attributeNos }, at) => {
      const parent = at + 1 < way.length ? sql`${z(at + 1)}.part_id` : sql.lit(0)
      const by = sql.join(attributeNos.map((no) => sql.lit(no)))
      return sql`${z(at)}.owner_copy = ${copyNo} and ${z(at)}.attribute_no in (${by}) and ${z(at)}.parent_part = ${parent}`
    })
    return sql`exists (select 1 from ${sql.join(tables)} where ${sql.join(steps, sql` and `)} and (${any}))`
  })
}

function z(at: number): Sql {
  return sql.ref(`z${at}`)
}

/** As the index holds texts, so that words are found alike in zones and elsewhere. */
export function spacedContains(dialect: SqlDialect, part: Sql): (column: Sql) => Sql {
  return (column) => dialect.contains(dialect.textIndex.spaced(column), part)
}
