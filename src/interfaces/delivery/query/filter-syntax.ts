import type { Operand, Slots } from '#content-query'
import { queryFault } from '../errors.ts'
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

/** Contract §6.2: the expressions of one `filter` parameter, or a fault with its position. */
export function parseFilterText(from: Parameter): readonly FilterExpression[] {
  const { value: text } = from
  const expressions: FilterExpression[] = []
  let at = 0
  while (at < text.length || expressions.length === 0) {
    const { expression, end } = parseExpression(from, at)
    expressions.push(expression)
    if (end >= text.length) break
    at = end + 1
    if (at >= text.length) throw fault(from, end, 'There is nothing after this comma')
  }
  return expressions
}

/** Several parameters are one filter; all of it must hold. */
export function parseFilterTexts(parameters: readonly Parameter[]): readonly FilterExpression[] {
  const all = parameters.flatMap(parseFilterText)
  const first = all[MAX_EXPRESSIONS]
  if (first) throw fault(first.from, first.at, `At most ${MAX_EXPRESSIONS} expressions are taken`)
  return all
}

/** Filters taken apart: what they ask, and what is compared. */
export function splitFilters(expressions: readonly FilterExpression[]) {
  const given = expressions.flatMap(({ values }) => values)
  const asked = expressions.map(({ field, operator, values }) => [
    ...[field, operator],
    ...values.map(({ isQuoted }) => isQuoted),
  ])
  return {
    template: JSON.stringify(asked),
    values: given.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])),
    /** With a slot for each value. */
    read(slots: Slots, from: number): readonly FilterExpression[] {
      let next = from
      return expressions.map((expression) => ({
        ...expression,
        values: expression.values.map((value) => ({ ...value, text: slots.text(next++) })),
      }))
    },
  }
}

function parseExpression(from: Parameter, at: number) {
  const { value: text } = from
  refuseStray(from, at)
  const field = matchAt(NAME, text, at)
  if (field === '') throw fault(from, at, 'The name of a field is expected here')
  const operatorAt = at + field.length
  const operator = matchAt(OPERATOR, text, operatorAt)
  if (operator === '') throw missingOperator(from, at, operatorAt)
  if (!isOperator(operator)) {
    throw fault(from, operatorAt, `There is no operator '${operator}'`)
  }
  const { values, end } = parseValues(from, operatorAt + operator.length, operator)
  return { expression: { from, field, at, operator, operatorAt, values }, end }
}

function missingOperator(from: Parameter, at: number, operatorAt: number) {
  const next = from.value[operatorAt]
  if (next !== undefined && SPACE.test(next)) {
    return fault(from, operatorAt, 'White space is not allowed in or after the name of a field')
  }
  const isBare = next === undefined || next === ','
  return isBare
    ? fault(from, at, 'A filter needs an operator and a value')
    : fault(from, operatorAt, 'An operator is expected here')
}

function parseValues(from: Parameter, start: number, operator: FilterOperator) {
  const { value: text } = from
  const values: FilterValue[] = []
  let at = start
  for (;;) {
    const { value, end } = parseValue(from, at)
    if (values.length > 0 && !takesSeveral(operator)) {
      throw fault(from, at, `The operator '${operator}' takes one value`)
    }
    if (values.length === MAX_ALTERNATIVES) {
      throw fault(from, at, `At most ${MAX_ALTERNATIVES} alternatives are taken`)
    }
    values.push(value)
    if (end >= text.length || end + 1 >= text.length) return { values, end }
    if (matchAt(NEXT, text, end + 1) !== '') return { values, end }
    refuseStray(from, end + 1)
    at = end + 1
  }
}

/** A comma or white space where an expression or a value must begin. */
function refuseStray(from: Parameter, at: number): void {
  const next = from.value[at]
  if (next === ',') throw fault(from, at, 'This comma has nothing before it')
  if (next !== undefined && SPACE.test(next)) throw whiteSpace(from, at)
}

function parseValue(from: Parameter, at: number): { value: FilterValue; end: number } {
  const { value: text } = from
  const first = text[at]
  if (first === undefined || first === ',') throw fault(from, at, 'A value is expected here')
  if (SPACE.test(first)) throw whiteSpace(from, at)
  if (first === '"') return parseQuoted(from, at)
  const comma = text.indexOf(',', at)
  const end = comma === -1 ? text.length : comma
  const own = text.slice(at, end)
  const bare = own.trimEnd()
  if (bare !== own) throw whiteSpace(from, at + bare.length)
  return { value: { text: own, at, isQuoted: false }, end }
}

function parseQuoted(from: Parameter, at: number): { value: FilterValue; end: number } {
  const { value: text } = from
  let own = ''
  for (let next = at + 1; next < text.length; next++) {
    if (text[next] !== '"') own += text[next]
    else if (text[next + 1] === '"') own += text[next++]
    else {
      const end = next + 1
      if (end < text.length && text[end] !== ',') {
        throw fault(from, end, 'Only a comma may follow a closing quote')
      }
      return { value: { text: own, at, isQuoted: true }, end }
    }
  }
  throw fault(from, at, 'This quote is never closed')
}

function takesSeveral(operator: FilterOperator): boolean {
  return operator === ':' || operator === ':!'
}

function isOperator(text: string): text is FilterOperator {
  return OPERATORS.has(text)
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function whiteSpace(from: Parameter, at: number) {
  return fault(from, at, 'White space is not allowed here')
}

function fault(from: Parameter, at: number, message: string) {
  return queryFault('Filter not valid', from, at, message)
}
