import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { isCompared, isShown, type WireKind, wireKindOf } from '#content'
import { behind } from '#content-dialect'
import {
  type Component,
  type ContentType,
  isScalar,
  isToMany,
  type ScalarAttribute,
} from '#content-model'
import type { Building } from './building.ts'
import { DATE_TIME, DATE_VALUE, LONG, TIME_VALUE } from './scalars.ts'

type Fields = Record<string, GraphQLInputFieldConfig>

/** Operators that take one value and those that take several, as CMS REST has them without `$`. */
const ONE = [
  ...['eq', 'eqi', 'ne', 'nei', 'startsWith', 'endsWith', 'startsWithi', 'endsWithi'],
  ...['contains', 'notContains', 'containsi', 'notContainsi', 'gt', 'gte', 'lt', 'lte'],
]
const SEVERAL = ['in', 'notIn', 'ini', 'notIni', 'between']
const LOGIC = ['and', 'or', 'not']

const OPERATORS = {
  id: comparisons('IDFilterInput', GraphQLID),
  text: comparisons('StringFilterInput', GraphQLString),
  integer: comparisons('IntFilterInput', GraphQLInt),
  big: comparisons('LongFilterInput', LONG),
  float: comparisons('FloatFilterInput', GraphQLFloat),
  boolean: comparisons('BooleanFilterInput', GraphQLBoolean),
  date: comparisons('DateFilterInput', DATE_VALUE),
  time: comparisons('TimeFilterInput', TIME_VALUE),
  datetime: comparisons('DateTimeFilterInput', DATE_TIME),
  /** All that can be asked is whether there is a value. */
  kept: new GraphQLInputObjectType({ name: 'JSONFilterInput', fields: presence() }),
}

const BY_KIND: Readonly<Record<WireKind, GraphQLInputObjectType>> = {
  text: OPERATORS.text,
  markup: OPERATORS.text,
  blocks: OPERATORS.kept,
  secret: OPERATORS.kept,
  integer: OPERATORS.integer,
  bigInteger: OPERATORS.big,
  decimal: OPERATORS.float,
  float: OPERATORS.float,
  boolean: OPERATORS.boolean,
  date: OPERATORS.date,
  time: OPERATORS.time,
  datetime: OPERATORS.datetime,
  json: OPERATORS.kept,
  link: OPERATORS.kept,
  words: OPERATORS.text,
}

function comparisons(name: string, of: GraphQLScalarType): GraphQLInputObjectType {
  const own: GraphQLInputObjectType = new GraphQLInputObjectType({
    name,
    fields: () => ({
      and: { type: new GraphQLList(of) },
      or: { type: new GraphQLList(of) },
      not: { type: own },
      ...Object.fromEntries(ONE.map((operator) => [operator, { type: of }])),
      ...presence(),
      ...Object.fromEntries(SEVERAL.map((operator) => [operator, { type: new GraphQLList(of) }])),
    }),
  })
  return own
}

function presence(): Fields {
  return { null: { type: GraphQLBoolean }, notNull: { type: GraphQLBoolean } }
}

const OF_FILES: Fields = {
  id: { type: OPERATORS.id },
  ...Object.fromEntries(
    ['name', 'alternativeText', 'caption', 'hash', 'ext', 'mime', 'url', 'provider'].map((name) => [
      name,
      { type: OPERATORS.text },
    ]),
  ),
  width: { type: OPERATORS.integer },
  height: { type: OPERATORS.integer },
  size: { type: OPERATORS.float },
  createdAt: { type: OPERATORS.datetime },
  updatedAt: { type: OPERATORS.datetime },
}

const OF_LOCALES: Fields = {
  id: { type: OPERATORS.id },
  name: { type: OPERATORS.text },
  code: { type: OPERATORS.text },
  createdAt: { type: OPERATORS.datetime },
  updatedAt: { type: OPERATORS.datetime },
}

/** What lists of things can be narrowed by. */
export function createFilters(building: Building) {
  const { model, input, nameOf, form } = building
  const suffix = form === 'cms' ? 'FiltersInput' : 'Filter'
  return { filterOf, localeFilter: () => group('I18NLocaleFiltersInput', () => OF_LOCALES) }

  function filterOf(thing: ContentType | Component | 'files'): GraphQLInputObjectType {
    if (thing === 'files') return group(`UploadFile${suffix}`, () => OF_FILES)
    return group(`${nameOf(thing)}${suffix}`, () => ({
      ...systemFields(thing),
      ...ownFields(thing),
    }))
  }

  function group(name: string, fields: () => Fields): GraphQLInputObjectType {
    return input(name, (own) => {
      const list = new GraphQLList(own)
      const logic = { and: { type: list }, or: { type: list }, not: { type: own } }
      return { ...fields(), ...logic }
    })
  }

  function ownFields(thing: ContentType | Component): Fields {
    const fields: Fields = {}
    for (const attribute of thing.attributes) {
      if (attribute.private || LOGIC.includes(attribute.name)) continue
      if (isScalar(attribute)) {
        if (isShown(attribute)) fields[attribute.name] = { type: operatorsOf(attribute) }
        continue
      }
      const to = behind(model, attribute)
      if (to) fields[attribute.name] = { type: filterOf(to) }
      const isReference = form !== 'cms' && attribute.type === 'relation' && !isToMany(attribute)
      const name = `${attribute.name}Id`
      if (isReference && !thing.attribute.has(name)) fields[name] = { type: GraphQLID }
    }
    return fields
  }
}

function operatorsOf(attribute: ScalarAttribute): GraphQLInputObjectType {
  const isAsked = isCompared(attribute) || attribute.type === 'tags'
  return isAsked ? BY_KIND[wireKindOf(attribute)] : OPERATORS.kept
}

function systemFields(thing: ContentType | Component): Fields {
  const id = { id: { type: OPERATORS.id } }
  if (!('singularName' in thing)) return id
  return {
    ...id,
    documentId: { type: OPERATORS.id },
    createdAt: { type: OPERATORS.datetime },
    updatedAt: { type: OPERATORS.datetime },
    ...(thing.draftAndPublish && { publishedAt: { type: OPERATORS.datetime } }),
    ...(thing.localized && { locale: { type: OPERATORS.text } }),
  }
}
