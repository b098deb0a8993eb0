import {
  GraphQLBoolean,
  GraphQLID,
  type GraphQLInputFieldConfig,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql'
import { graphqlZoneNames } from '#content-dialect'
import {
  type Attribute,
  type Component,
  type ContentType,
  isScalar,
  isToMany,
} from '#content-model'
import type { Building } from './building.ts'
import { DATE_TIME } from './scalars.ts'

type Fields = Record<string, GraphQLInputFieldConfig>

/** What changes take: every attribute optional, relations and media by id. */
export function createInputs({ model, input, zoneInput, nameOf, valueType }: Building) {
  return { inputOf, fileInput }

  function inputOf(thing: ContentType | Component): GraphQLInputObjectType {
    const name = nameOf(thing)
    return input(`${name}Input`, () => {
      const fields: Fields = isType(thing) ? publication(thing) : { id: { type: GraphQLID } }
      for (const attribute of thing.attributes) {
        const type = attribute.private ? undefined : inputType(attribute, thing)
        if (type) fields[attribute.name] = { type }
      }
      // A type without attributes; an input object has at least one field.
      return Object.keys(fields).length > 0 ? fields : { _: { type: GraphQLBoolean } }
    })
  }

  function inputType(
    attribute: Attribute,
    owner: ContentType | Component,
  ): GraphQLInputType | undefined {
    if (isScalar(attribute)) return valueType(attribute, nameOf(owner))
    if (attribute.type === 'dynamiczone') {
      if (!isType(owner)) return undefined
      const names = graphqlZoneNames(owner.singularName, attribute.name)
      return new GraphQLList(new GraphQLNonNull(zoneInput(names.input)))
    }
    const one = attribute.type === 'component' ? partInput(attribute.component) : GraphQLID
    return one && isToMany(attribute) ? new GraphQLList(one) : one
  }

  function partInput(uid: string): GraphQLInputObjectType | undefined {
    const component = model.findComponent(uid)
    return component && inputOf(component)
  }

  function fileInput(): GraphQLInputObjectType {
    const text = { type: GraphQLString }
    return input('FileInfoInput', () => ({ name: text, alternativeText: text, caption: text }))
  }
}

function publication({ draftAndPublish }: ContentType): Fields {
  return draftAndPublish ? { publishedAt: { type: DATE_TIME } } : {}
}

function isType(thing: ContentType | Component): thing is ContentType {
  return 'singularName' in thing
}
