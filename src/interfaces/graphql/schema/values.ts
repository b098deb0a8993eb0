import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { type WireKind, wireKindOf } from '#content'
import type { ScalarAttribute } from '#content-model'
import { DATE_TIME, DATE_VALUE, JSON_VALUE, LONG, TIME_VALUE } from './scalars.ts'

const SCALARS: Readonly<Record<Exclude<WireKind, 'words'>, GraphQLScalarType>> = {
  text: GraphQLString,
  markup: GraphQLString,
  blocks: JSON_VALUE,
  secret: GraphQLString,
  integer: GraphQLInt,
  bigInteger: LONG,
  decimal: GraphQLFloat,
  float: GraphQLFloat,
  boolean: GraphQLBoolean,
  date: DATE_VALUE,
  time: TIME_VALUE,
  datetime: DATE_TIME,
  json: JSON_VALUE,
  link: JSON_VALUE,
}
const WORDS = new GraphQLList(GraphQLString)
const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/
const TAKEN = new Set(['true', 'false', 'null'])

/** The types of values; enumerations of one schema are made once. */
export function createValueTypes() {
  const enums = new Map<string, { readonly attribute: ScalarAttribute; type: GraphQLEnumType }>()
  return { valueType }

  /** `owner`: the name of the type in the schema. */
  function valueType(attribute: ScalarAttribute, owner: string) {
    if (attribute.type === 'enumeration') return enumType(attribute, owner)
    const kind = wireKindOf(attribute)
    return kind === 'words' ? WORDS : SCALARS[kind]
  }

  function enumType(attribute: Extract<ScalarAttribute, { type: 'enumeration' }>, owner: string) {
    let name = `ENUM_${owner}_${attribute.name}`.toUpperCase()
    // Names that differ in case only.
    while ((enums.get(name)?.attribute ?? attribute) !== attribute) name += '_'
    const known = enums.get(name)
    if (known) return known.type
    const values = [...enumNames(attribute.enum)].map(
      ([value, shown]) => [shown, { value }] as const,
    )
    const type = new GraphQLEnumType({ name, values: Object.fromEntries(values) })
    enums.set(name, { attribute, type })
    return type
  }
}

/** How each choice is called in a schema, where only letters, digits and `_` make a name. */
export function enumNames(choices: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  const named = choices.map((choice) => {
    let name = choice.replaceAll(/[^_0-9A-Za-z]/g, '_')
    if (!NAME.test(name) || TAKEN.has(name) || name.startsWith('__'))
      name = `_${name.replace(/^_+/, '')}`
    while (taken.has(name)) name += '_'
    taken.add(name)
    return [choice, name] as const
  })
  return new Map(named)
}
