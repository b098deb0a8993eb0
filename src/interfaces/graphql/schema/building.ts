import {
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInterfaceType,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql'
import type { Component, ContentModel, ContentType } from '#content'
import { graphqlName } from '#content-dialect'
import type { Form, Meaning } from './meaning.ts'
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
  const waiting: (GraphQLObjectType | GraphQLInputObjectType)[] = []
  return {
    ...{ model, form, meanings, object, input, nameOf, fillNext },
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
