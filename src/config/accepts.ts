import Type, { type TSchema } from 'typebox'
import { isObject } from '#kernel'

/**
 * Whether a value fits the schema of one setting: the keywords that `kinds.ts` uses and no others.
 * TypeBox's own checker knows them all, at the price of ten megabytes in every running server; a
 * test holds the two against each other.
 */
export function accepts(schema: TSchema, value: unknown): boolean {
  if (!hasKind(schema, value)) return false
  return !Type.IsRefine(schema) || schema['~refine'].every(({ check }) => check(value))
}

function hasKind(schema: TSchema, value: unknown): boolean {
  if (Type.IsObject(schema)) return isRecord(schema.properties, value)
  if (Type.IsArray(schema)) return Array.isArray(value) && isList(schema, schema.items, value)
  if (Type.IsEnum(schema)) return schema.enum.some((known) => known === value)
  if (Type.IsBoolean(schema)) return typeof value === 'boolean'
  if (Type.IsString(schema)) return typeof value === 'string' && isText(schema, value)
  if (Type.IsInteger(schema)) return Number.isInteger(value) && isWithin(schema, 'imum', value)
  return Type.IsNumber(schema) && Number.isFinite(value) && isWithin(schema, 'imum', value)
}

function isList(schema: TSchema, items: TSchema, list: readonly unknown[]): boolean {
  if (!isWithin(schema, 'Items', list.length)) return false
  if (keyword(schema, 'uniqueItems') === true && new Set(list).size < list.length) return false
  return list.every((item) => accepts(items, item))
}

/** With no members but its own; those that are not optional must be there. */
function isRecord(members: Readonly<Record<string, TSchema>>, value: unknown): boolean {
  if (!isObject(value)) return false
  const own = new Map<string, unknown>(Object.entries(value))
  if ([...own.keys()].some((name) => !Object.hasOwn(members, name))) return false
  return Object.entries(members).every(([name, schema]) =>
    own.has(name) ? accepts(schema, own.get(name)) : Type.IsOptional(schema),
  )
}

function isText(schema: TSchema, text: string): boolean {
  const pattern = keyword(schema, 'pattern')
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(text)) return false
  return isWithin(schema, 'Length', text.length)
}

/** JSON Schema names its bounds alike: `minimum`, `minItems`, `minLength`. */
function isWithin(schema: TSchema, what: 'imum' | 'Items' | 'Length', value: unknown): boolean {
  const least = Number(keyword(schema, `min${what}`) ?? Number.NEGATIVE_INFINITY)
  const most = Number(keyword(schema, `max${what}`) ?? Number.POSITIVE_INFINITY)
  return Number(value) >= least && Number(value) <= most
}

function keyword(schema: TSchema, name: string): unknown {
  return Reflect.get(schema, name)
}
