import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { parseDay, parseMoment } from '#kernel'

const WHOLE = /^-?\d{1,19}$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/

/** Values leave as the renderer writes them; scalars only check what comes in. */
function scalar(name: string, description: string, take: (value: unknown) => unknown) {
  return new GraphQLScalarType({
    name,
    description,
    coerceOutputValue: (value) => value,
    coerceInputValue: take,
    coerceInputLiteral: (node) => take(plain(node)),
  })
}

function plain(node: ValueNode | Parameters<typeof valueFromASTUntyped>[0]): unknown {
  // Digits beyond 2^53 must arrive as they were written.
  if (node.kind === Kind.INT) return WHOLE.test(node.value) ? node.value : Number(node.value)
  return valueFromASTUntyped(node)
}

function refuse(message: string): never {
  throw new GraphQLError(message)
}

export function jsonScalar(name: string, description: string) {
  return new GraphQLScalarType({
    name,
    description,
    coerceOutputValue: (value) => value,
    coerceInputValue: (value) => value,
    coerceInputLiteral: (node) => valueFromASTUntyped(node),
  })
}

export const JSON_VALUE = jsonScalar('JSON', 'Any JSON value')

export const LONG = scalar(
  'Long',
  'A whole number of up to 64 bit; text beyond 2^53-1',
  (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    if (typeof value === 'string' && WHOLE.test(value)) return value
    return refuse('Long must be a whole number')
  },
)

export const DATE_VALUE = scalar('Date', 'A day: YYYY-MM-DD', (value) => {
  const day = typeof value === 'string' ? parseDay(value) : undefined
  return day ?? refuse('Date must be a day such as 2026-05-04')
})

export const TIME_VALUE = scalar('Time', 'A time of day: HH:mm:ss.SSS', (value) => {
  if (typeof value === 'string' && TIME.test(value)) return value
  return refuse('Time must be a time of day such as 10:20:30.000')
})

export const DATE_TIME = scalar('DateTime', 'An instant: 2026-05-04T10:20:30.000Z', (value) => {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && parseMoment(text) !== undefined) return text
  return refuse('DateTime must be a time such as 2026-05-04T10:20:30.000Z, or epoch milliseconds')
})

export const LOCALE_CODE = scalar('I18NLocaleCode', 'The code of a locale, or all', (value) => {
  if (typeof value === 'string') return value
  return refuse('I18NLocaleCode must be the code of a locale')
})
