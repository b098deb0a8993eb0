import {
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInterfaceType,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLUnionType,
} from 'graphql'
import { graphqlName } from '#content-dialect'
import type { Component, ContentModel, ContentType } from '#content-model'
import type { Form, Meaning } from './meaning.ts'
import { jsonScalar } from './scalars.ts'
import { createValueTypes } from './values.ts'

/** A field with what it means. */
export interface Shown extends Pick<GraphQLFieldConfig<unknown, unknown>, 'args'> {
  readonly type: GraphQLOutputType
  readonly meaning: Meaning
}

export type ShownFields = Readonly<Record<string, Shown>>
type InputFields = Record<string, GraphQLInputFieldConfig>

/**
 * One schema while it is made. Types are made when they are first named and filled later, one after the
 * other, so that none has to wait for those it refers to and the event loop can go on between two.
 */
export function createBuilding(model: ContentModel, form: Form) {
  /** By type and field. */
  const meanings = new Map<string, ReadonlyMap<string, Meaning>>()
  const objects = new Map<string, GraphQLObjectType>()
  const inputs = new Map<string, GraphQLInputObjectType>()
  const unions = new Map<string, GraphQLUnionType>()
  const zoneInputs = new Map<string, GraphQLScalarType>()
  const waiting: (GraphQLObjectType | GraphQLInputObjectType)[] = []
  return {
    ...{ model, form, meanings, object, union, input, zoneInput, nameOf, fillNext },
    ...createValueTypes(),
  }

  function object(
    name: string,
    fields: () => ShownFields,
    interfaces: readonly GraphQLInterfaceType[] = [],
  ): GraphQLObjectType {
    const known = objects.get(name)
    if (known) return known
    const made = new GraphQLObjectType({ name, interfaces, fields: () => noted(name, fields()) })
    objects.set(name, made)
    waiting.push(made)
    return made
  }

  function union(name: string, types: readonly GraphQLObjectType[]): GraphQLUnionType {
    const known = unions.get(name) ?? new GraphQLUnionType({ name, types })
    unions.set(name, known)
    return known
  }

  /** An input has no unions, so the store checks what a zone is given. */
  function zoneInput(name: string): GraphQLScalarType {
    const known = zoneInputs.get(name) ?? jsonScalar(name, 'A component with its __component')
    zoneInputs.set(name, known)
    return known
  }

  function input(
    name: string,
    fields: (own: GraphQLInputObjectType) => InputFields,
  ): GraphQLInputObjectType {
    const known = inputs.get(name)
    if (known) return known
    const made: GraphQLInputObjectType = new GraphQLInputObjectType({
      name,
      fields: () => fields(made),
    })
    inputs.set(name, made)
    waiting.push(made)
    return made
  }

  function noted(name: string, fields: ShownFields) {
    const configs: Record<string, GraphQLFieldConfig<unknown, unknown>> = {}
    const own = new Map<string, Meaning>()
    for (const field in fields) {
      const { type, args, meaning } = fields[field] ?? {}
      if (!type || !meaning) continue
      own.set(field, meaning)
      configs[field] = args ? { type, args } : { type }
    }
    meanings.set(name, own)
    return configs
  }

  /** False when all types are filled. */
  function fillNext(): boolean {
    const next = waiting.pop()
    next?.getFields()
    return next !== undefined
  }
}

/** `Article` of a type, `ComponentDefaultSeo` of a component. */
function nameOf(thing: ContentType | Component): string {
  if ('singularName' in thing) return graphqlName(thing.singularName)
  return `Component${graphqlName(thing.category)}${graphqlName(thing.name)}`
}

export type Building = ReturnType<typeof createBuilding>
