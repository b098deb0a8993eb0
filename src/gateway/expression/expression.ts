import { createNetworks, isNetwork } from './networks.ts'
import { createPattern, patternFault } from './pattern.ts'

/** Looks up a variable of the request; undefined when it is absent. */
type Lookup = (name: string) => string | undefined
export type Condition = (get: Lookup) => boolean

export interface ExpressionFault {
  /** Members of the list, outermost first. */
  readonly path: readonly number[]
  readonly message: string
}

const GROUPS: readonly string[] = ['AND', 'OR', '!AND', '!OR']
const OPERATORS: readonly string[] = [
  '==',
  '~=',
  '>',
  '>=',
  '<',
  '<=',
  '~~',
  '~*',
  'in',
  'has',
  'ipmatch',
]
const NUMBER = /^-?\d+(\.\d+)?$/

/** Every fault of a list of conditions (contract §4.2). */
export function findFaults(list: unknown, path: readonly number[] = []): ExpressionFault[] {
  if (!Array.isArray(list)) return [{ path, message: 'must be a list of conditions' }]
  if (isGroup(list)) return conditionFaults(list, path)
  return list.flatMap((condition, index) => conditionFaults(condition, [...path, index]))
}

/** The list must be free of faults. All conditions have to hold. */
export function compileExpression(list: readonly unknown[]): Condition {
  const conditions = isGroup(list) ? [compileCondition(list)] : list.map(compileCondition)
  return (get) => conditions.every((condition) => condition(get))
}

/** The names of the variables that the conditions look at. */
export function variablesOf(list: readonly unknown[]): string[] {
  return (isGroup(list) ? list.slice(1) : list).flatMap(nameOf)
}

function nameOf(condition: unknown): string[] {
  const list = asList(condition)
  if (isGroup(list)) return variablesOf(list)
  return typeof list[0] === 'string' ? [list[0]] : []
}

function conditionFaults(condition: unknown, path: readonly number[]): ExpressionFault[] {
  if (!Array.isArray(condition)) return [{ path, message: 'must be a list' }]
  if (isGroup(condition)) {
    if (condition.length < 2) return [{ path, message: 'must hold conditions' }]
    return condition
      .slice(1)
      .flatMap((inner, index) => conditionFaults(inner, [...path, index + 1]))
  }
  const { name, operator, value, at, surplus } = readCondition(condition)
  if (typeof name !== 'string' || name === '') {
    return [{ path: [...path, 0], message: 'must be the name of a variable' }]
  }
  if (typeof operator !== 'string' || !OPERATORS.includes(operator)) {
    return [{ path: [...path, at], message: `must be one of ${OPERATORS.join(' ')}` }]
  }
  if (value === undefined || surplus > 0) {
    return [{ path, message: 'must be [variable, operator, value]' }]
  }
  const message = valueFault(operator, value)
  return message === null ? [] : [{ path: [...path, at + 1], message }]
}

/** `[variable, operator, value]`, negated by a `!` before the operator; `[variable, value]` is `==`. */
function readCondition([name, ...rest]: readonly unknown[]) {
  const isNegated = rest[0] === '!'
  const [given, value, ...more] = isNegated ? rest.slice(1) : rest
  const operator = typeof given === 'string' ? given.toLowerCase() : given
  const at = isNegated ? 2 : 1
  const isShort = !isNegated && rest.length === 1 && !OPERATORS.includes(String(operator))
  if (isShort) return { name, isNegated, operator: '==', value: given, at: 0, surplus: 0 }
  return { name, isNegated, operator, value, at, surplus: more.length }
}

function valueFault(operator: string, value: unknown): string | null {
  if (operator === '~~' || operator === '~*') return patternFault(value)
  if (operator === 'in') return isScalars(value) ? null : 'must be a list of texts and numbers'
  if (operator === 'ipmatch') {
    const networks = Array.isArray(value) ? value : [value]
    const isRight = networks.every((each) => typeof each === 'string' && isNetwork(each))
    return isRight && networks.length > 0 ? null : 'must be addresses or networks'
  }
  if (value === null && (operator === '==' || operator === '~=')) return null
  return isScalar(value) ? null : 'must be a text or a number'
}

function compileCondition(condition: unknown): Condition {
  const list = asList(condition)
  if (isGroup(list)) return compileGroup(list)
  const { name, isNegated, operator, value } = readCondition(list)
  const variable = String(name)
  const holds = compileOperator(String(operator), value)
  return (get) => holds(get(variable)) !== isNegated
}

function compileGroup([word, ...inner]: readonly unknown[]): Condition {
  const conditions = inner.map(compileCondition)
  const isNegated = String(word).startsWith('!')
  const isAll = String(word).toUpperCase().endsWith('AND')
  return (get) => {
    const holds = (condition: Condition) => condition(get)
    return (isAll ? conditions.every(holds) : conditions.some(holds)) !== isNegated
  }
}

type Holds = (left: string | undefined) => boolean

function compileOperator(operator: string, value: unknown): Holds {
  switch (operator) {
    case '==':
      return compileEqual(value)
    case '~=': {
      const isEqual = compileEqual(value)
      return (left) => !isEqual(left)
    }
    case '~~':
    case '~*': {
      const pattern = createPattern(String(value), { ignoreCase: operator === '~*' })
      return (left) => left !== undefined && pattern.test(left)
    }
    case 'in': {
      const equals = asList(value).map(compileEqual)
      return (left) => equals.some((isEqual) => isEqual(left))
    }
    case 'has': {
      const isEqual = compileEqual(value)
      return (left) => left?.split(',').some((part) => isEqual(part.trim())) === true
    }
    case 'ipmatch': {
      const networks = createNetworks((Array.isArray(value) ? value : [value]).map(String))
      return (left) => left !== undefined && networks.has(left)
    }
    default:
      return compileOrder(operator, value)
  }
}

function compileEqual(value: unknown): Holds {
  if (value === null) return (left) => left === undefined
  if (typeof value === 'number') return (left) => isNumber(left) && Number(left) === value
  const text = String(value)
  return (left) => left === text
}

function compileOrder(operator: string, value: unknown): Holds {
  const compare = ORDERS.get(operator) ?? (() => false)
  if (typeof value === 'number') return (left) => isNumber(left) && compare(Number(left) - value)
  const text = String(value)
  return (left) => left !== undefined && compare(left < text ? -1 : left > text ? 1 : 0)
}

const ORDERS: ReadonlyMap<string, (difference: number) => boolean> = new Map([
  ['>', (difference) => difference > 0],
  ['>=', (difference) => difference >= 0],
  ['<', (difference) => difference < 0],
  ['<=', (difference) => difference <= 0],
])

function isNumber(text: string | undefined): text is string {
  return text !== undefined && NUMBER.test(text)
}

function isGroup(list: readonly unknown[]): boolean {
  return typeof list[0] === 'string' && GROUPS.includes(list[0].toUpperCase())
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isScalars(value: unknown): boolean {
  return Array.isArray(value) && value.every(isScalar)
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
