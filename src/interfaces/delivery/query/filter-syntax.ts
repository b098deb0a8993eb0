import { splitParts } from '#content-dialect'
import { type Operand, textOf } from '#content-query'
import { type QueryTitle, queryFault } from '../errors.ts'
import type { Parameter } from './parameters.ts'

export type FilterOperator = ':' | ':!' | '>' | '>:' | '<' | '<:'

export interface FilterValue {
  readonly text: Operand<string>
  /** Of its first character in the parameter. */
  readonly at: number
  readonly isQuoted: boolean
}

/** `field op value,value`: what a filter says before its names are known. */
export interface FilterExpression {
  readonly from: Parameter
  readonly field: string
  readonly at: number
  readonly operator: FilterOperator
  readonly operatorAt: number
  readonly values: readonly FilterValue[]
}

const OPERATORS: ReadonlySet<string> = new Set([':', ':!', '>', '>:', '<', '<:'])
const NAME = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*/y
const OPERATOR = /[:<>!=]+/y
/** After a comma this begins the next expression; anything else is one more alternative. */
const NEXT = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*[:<>]/y
const SPACE = /\s/
const MAX_EXPRESSIONS = 50
const MAX_ALTERNATIVES = 100

/** Several parameters are one filter; all of it must hold. */
export function parseFilterTexts(parameters: readonly Parameter[]): readonly FilterExpression[] {
  const all = parameters.flatMap(parseFilterText)
  const first = all[MAX_EXPRESSIONS]
  if (!first) return all
  throw filterFault(first, first.at, `At most ${MAX_EXPRESSIONS} expressions are taken`)
}

export function filterFault(
  { from }: Pick<FilterExpression, 'from'>,
  at: number,
  message: string,
  title: QueryTitle = 'Filter not valid',
) {
  return queryFault(title, from, at, message)
}

/** Filters taken apart: what they ask, and what is compared. */
export function splitFilters(expressions: readonly FilterExpression[]) {
  return splitParts(expressions, {
    asked: ({ field, operator, values }) => [
      ...[field, operator],
      ...values.map(({ isQuoted }) => isQuoted),
    ],
    values: ({ values }) => values.map(({ text }) => textOf(text)),
    fill: (expression, slots) => ({
      ...expression,
      values: expression.values.map((value, at) => ({ ...value, text: slots[at] ?? value.text })),
    }),
  })
}

/** Contract §6.2: the expressions of one `filter` parameter, or a fault with its position. */
export function parseFilterText(from: Parameter): readonly FilterExpression[] {
  const { value: text } = from
  const expressions: FilterExpression[] = []
  let at = 0
  while (at < text.length || expressions.length === 0) {
    expressions.push(parseExpression())
    if (at >= text.length) break
    at++
    if (at >= text.length) throw fault(at - 1, 'There is nothing after this comma')
  }
  return expressions

  /** Here and below `at` is left behind what was read. */
  function parseExpression(): FilterExpression {
    const start = at
    refuseStray()
    const field = take(NAME)
    if (field === '') throw fault(at, 'The name of a field is expected here')
    const operatorAt = at
    const operator = take(OPERATOR)
    if (operator === '') throw missingOperator(start)
    if (!isOperator(operator)) throw fault(operatorAt, `There is no operator '${operator}'`)
    return { from, field, at: start, operator, operatorAt, values: parseValues(operator) }
  }

  function missingOperator(start: number) {
    const next = text[at]
    if (next !== undefined && SPACE.test(next)) {
      return fault(at, 'White space is not allowed in or after the name of a field')
    }
    const isBare = next === undefined || next === ','
    return isBare
      ? fault(start, 'A filter needs an operator and a value')
      : fault(at, 'An operator is expected here')
  }

  function parseValues(operator: FilterOperator): readonly FilterValue[] {
    const values: FilterValue[] = []
    for (;;) {
      const start = at
      const value = parseValue()
      if (values.length > 0 && operator !== ':' && operator !== ':!') {
        throw fault(start, `The operator '${operator}' takes one value`)
      }
      if (values.length === MAX_ALTERNATIVES) {
        throw fault(start, `At most ${MAX_ALTERNATIVES} alternatives are taken`)
      }
      values.push(value)
      if (at + 1 >= text.length || matchAt(NEXT, at + 1) !== '') return values
      at++
      refuseStray()
    }
  }

  /** A comma or white space where an expression or a value must begin. */
  function refuseStray(): void {
    const next = text[at]
    if (next === ',') throw fault(at, 'This comma has nothing before it')
    if (next !== undefined && SPACE.test(next)) throw whiteSpace(at)
  }

  function parseValue(): FilterValue {
    const start = at
    const first = text[at]
    if (first === undefined || first === ',') throw fault(at, 'A value is expected here')
    if (SPACE.test(first)) throw whiteSpace(at)
    if (first === '"') return parseQuoted()
    const comma = text.indexOf(',', at)
    at = comma === -1 ? text.length : comma
    const own = text.slice(start, at)
    const bare = own.trimEnd()
    if (bare !== own) throw whiteSpace(start + bare.length)
    return { text: own, at: start, isQuoted: false }
  }

  function parseQuoted(): FilterValue {
    const start = at
    let own = ''
    for (let next = at + 1; next < text.length; next++) {
      if (text[next] !== '"') own += text[next]
      else if (text[next + 1] === '"') own += text[next++]
      else {
        at = next + 1
        if (at < text.length && text[at] !== ',') {
          throw fault(at, 'Only a comma may follow a closing quote')
        }
        return { text: own, at: start, isQuoted: true }
      }
    }
    throw fault(start, 'This quote is never closed')
  }

  function matchAt(pattern: RegExp, position: number): string {
    pattern.lastIndex = position
    return pattern.exec(text)?.[0] ?? ''
  }

  function take(pattern: RegExp): string {
    const found = matchAt(pattern, at)
    at += found.length
    return found
  }

  function whiteSpace(position: number) {
    return fault(position, 'White space is not allowed here')
  }

  function fault(position: number, message: string) {
    return filterFault({ from }, position, message)
  }
}

function isOperator(text: string): text is FilterOperator {
  return OPERATORS.has(text)
}
