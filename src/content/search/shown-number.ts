import { scaleOf } from '../fields/support/decimals.ts'
import type { NumberAttribute, ScalarAttribute } from '../model.ts'
import { type Sql, sql } from '../query/fragment.ts'

/** The text of a stored whole number or decimal as answers show it. */
export function shownNumber(attribute: ScalarAttribute, value: Sql): Sql {
  return attribute.type === 'decimal' ? decimalText(attribute, value) : sql`cast(${value} as text)`
}

/** A scaled integer without zeros at the end of the fraction. */
function decimalText(attribute: NumberAttribute, value: Sql): Sql {
  const unit = sql.lit(10 ** scaleOf(attribute))
  const sign = sql`case when ${value} < 0 then '-' else '' end`
  const whole = sql`cast(abs(${value}) / ${unit} as text)`
  const fraction = sql`substr(cast(${unit} + abs(${value}) % ${unit} as text), 2)`
  return sql`(${sign} || rtrim(rtrim(${whole} || '.' || ${fraction}, '0'), '.'))`
}
