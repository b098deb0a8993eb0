import {
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { isShown } from '#content'
import { behind, graphqlZoneNames } from '#content-dialect'
import {
  type Component,
  type ContentType,
  componentsIn,
  isScalar,
  isToMany,
  type RelationAttribute,
  type ZoneAttribute,
} from '#content-model'
import type { Building, Shown, ShownFields } from './building.ts'
import type { Meaning, Member } from './meaning.ts'
import { DATE_TIME, JSON_VALUE } from './scalars.ts'

/** How a shape shows what attributes lead to; components look the same in all. */
interface Steps {
  one(to: ContentType | 'files'): Pick<Shown, 'type'>
  many(to: ContentType | 'files'): Pick<Shown, 'type' | 'args'>
}

/** Items that a list of components is taken to have where its definition sets no limit. */
const USUAL_PARTS = 10

/** The attributes of a type or component as fields. */
export function createFields(building: Building, steps: Steps) {
  const { model, object, union, nameOf, valueType, form } = building
  return { attributeFields, fileFields }

  function attributeFields(thing: ContentType | Component): Record<string, Shown> {
    const fields: Record<string, Shown> = {}
    const mayLack = !('singularName' in thing) || thing.draftAndPublish
    for (const attribute of thing.attributes) {
      const { name } = attribute
      if (attribute.private) continue
      if (isScalar(attribute)) {
        if (!isShown(attribute)) continue
        const type = valueType(attribute, nameOf(thing))
        // A draft may lack it and must not break the query.
        const isThere = attribute.required && !mayLack
        fields[name] = {
          type: isThere ? new GraphQLNonNull(type) : type,
          meaning: { of: 'value', attribute },
        }
        continue
      }
      if (attribute.type === 'dynamiczone') {
        if ('singularName' in thing) fields[name] = zoneField(thing, attribute)
        continue
      }
      const to = behind(model, attribute)
      if (!to) continue
      const many = isToMany(attribute)
      const most = attribute.type === 'component' ? { most: attribute.max ?? USUAL_PARTS } : {}
      const meaning: Meaning = { of: 'step', attribute: name, to, many, ...most }
      fields[name] = { ...stepType(to, many), meaning }
      if (form !== 'cms' && attribute.type === 'relation') addReference(fields, thing, attribute)
    }
    return fields
  }

  function zoneField({ singularName }: ContentType, attribute: ZoneAttribute): Shown {
    const components = componentsIn(model, attribute)
    const kinds = new Map(components.map((component) => [nameOf(component), component]))
    const names = graphqlZoneNames(singularName, attribute.name)
    return {
      type: new GraphQLList(union(names.union, components.map(partType))),
      meaning: { of: 'zone', attribute: attribute.name, kinds, most: attribute.max ?? USUAL_PARTS },
    }
  }

  function stepType(to: ContentType | Component | 'files', many: boolean) {
    if (to === 'files' || 'singularName' in to) return many ? steps.many(to) : steps.one(to)
    const type = partType(to)
    return { type: many ? new GraphQLList(type) : type }
  }

  function addReference(
    fields: Record<string, Shown>,
    thing: ContentType | Component,
    attribute: RelationAttribute,
  ): void {
    const name = `${attribute.name}Id`
    const to = model.findType(attribute.target)
    if (!to || isToMany(attribute) || thing.attribute.has(name)) return
    fields[name] = { type: GraphQLID, meaning: { of: 'reference', attribute: attribute.name, to } }
  }

  function partType(component: Component): GraphQLObjectType {
    return object(nameOf(component), () => ({
      id: { type: new GraphQLNonNull(GraphQLID), meaning: { of: 'member', name: 'id' } },
      ...attributeFields(component),
    }))
  }
}

export function member(name: Member, type: Shown['type']): Shown {
  return { type, meaning: { of: 'member', name } }
}

/** Times, and languages where the type has them; `isSure`: they are never missing. */
export function systemFields(
  { draftAndPublish, localized }: ContentType,
  isSure: boolean,
): ShownFields {
  const time = isSure ? new GraphQLNonNull(DATE_TIME) : DATE_TIME
  return {
    createdAt: member('createdAt', time),
    updatedAt: member('updatedAt', time),
    ...(draftAndPublish && { publishedAt: member('publishedAt', DATE_TIME) }),
    ...(localized && { locale: member('locale', GraphQLString) }),
  }
}

function fileFields(): ShownFields {
  const sure = (type: typeof GraphQLString) => new GraphQLNonNull(type)
  const of = (name: string, type: Shown['type']): [string, Shown] => [
    name,
    { type, meaning: { of: 'fileMember', name } },
  ]
  return Object.fromEntries([
    of('name', sure(GraphQLString)),
    of('alternativeText', GraphQLString),
    of('caption', GraphQLString),
    of('width', GraphQLInt),
    of('height', GraphQLInt),
    of('formats', JSON_VALUE),
    of('hash', sure(GraphQLString)),
    of('ext', GraphQLString),
    of('mime', sure(GraphQLString)),
    of('size', new GraphQLNonNull(GraphQLFloat)),
    of('url', sure(GraphQLString)),
    of('previewUrl', GraphQLString),
    of('provider', sure(GraphQLString)),
    of('createdAt', DATE_TIME),
    of('updatedAt', DATE_TIME),
  ])
}
