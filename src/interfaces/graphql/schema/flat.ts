import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import type { ContentType } from '#content-model'
import { listName, oneName } from '../target.ts'
import type { Building, Shown, ShownFields } from './building.ts'
import { createFields, member, systemFields } from './entries.ts'
import { createFilters } from './filters.ts'
import { createInputs } from './inputs.ts'
import type { Action, PageMember } from './meaning.ts'
import { LOCALE_CODE } from './scalars.ts'

const STATUS = new GraphQLEnumType({
  name: 'PublicationStatus',
  values: { LIVE: { value: 'LIVE' }, DRAFT: { value: 'DRAFT' }, ALL: { value: 'ALL' } },
})
const whole = { type: GraphQLInt }
const text = { type: GraphQLString }
const SURE_ID = { id: { type: new GraphQLNonNull(GraphQLID) } }
const self = { of: 'self' } as const

/** Pages by number, or by cursors. */
const PAGING = {
  offset: {
    limit: { ...whole, default: { value: 20 } },
    offset: { ...whole, default: { value: 0 } },
  },
  connection: { first: whole, after: text, last: whole, before: text },
} as const

/** The two shapes whose entries are one object each (contract §5, §6). */
export function flatRoots(building: Building): { query: ShownFields; mutation: ShownFields } {
  const { model, object, nameOf } = building
  const isConnection = building.form === 'connection'
  const paging = isConnection ? PAGING.connection : PAGING.offset
  const node = new GraphQLInterfaceType({ name: 'Node', fields: SURE_NODE })
  const interfaces = isConnection ? [node] : []
  const { filterOf } = createFilters(building)
  const { inputOf } = createInputs(building)
  const { attributeFields, fileFields } = createFields(building, {
    one: (to) => ({ type: shown(to) }),
    many: (to) => ({ type: new GraphQLNonNull(list(to)), args: listArguments(to) }),
  })
  return { query: queries(), mutation: changes() }

  function queries(): ShownFields {
    const fields: Record<string, Shown> = {}
    if (isConnection) fields['node'] = { type: node, args: SURE_ID, meaning: { of: 'node' } }
    for (const type of model.types) {
      const args = localeOf(type)
      const one = { type: shown(type), args }
      if (type.kind === 'singleType') {
        fields[oneName(type)] = { ...one, meaning: { of: 'single', to: type } }
        continue
      }
      fields[oneName(type)] = {
        ...one,
        args: { ...SURE_ID, ...args },
        meaning: { of: 'one', to: type },
      }
      fields[listName(type)] = {
        type: new GraphQLNonNull(list(type)),
        args: { ...listArguments(type), ...args, ...statusOf(type) },
        meaning: { of: 'list', to: type },
      }
    }
    return fields
  }

  function changes(): ShownFields {
    const fields: Record<string, Shown> = {}
    for (const type of model.types) Object.assign(fields, changesOf(type))
    return fields
  }

  function changesOf(type: ContentType): ShownFields {
    const name = nameOf(type)
    const id = type.kind === 'singleType' ? {} : SURE_ID
    const data = { data: { type: new GraphQLNonNull(inputOf(type)) } }
    const change = (action: Action, args: GraphQLFieldConfigArgumentMap): Shown => ({
      type: new GraphQLNonNull(shown(type)),
      args: { ...args, ...localeOf(type) },
      meaning: { of: 'change', action, to: type },
    })
    return {
      ...(type.kind === 'collectionType' && { [`create${name}`]: change('create', data) }),
      [`update${name}`]: change('update', { ...id, ...data }),
      [`delete${name}`]: change('remove', id),
      ...(type.draftAndPublish && {
        [`publish${name}`]: change('publish', id),
        [`unpublish${name}`]: change('unpublish', id),
      }),
    }
  }

  function listArguments(to: ContentType | 'files'): GraphQLFieldConfigArgumentMap {
    return { ...paging, filter: { type: filterOf(to) }, sort: text }
  }

  function shownName(to: ContentType | 'files'): string {
    return to === 'files' ? 'UploadFile' : nameOf(to)
  }

  function shown(to: ContentType | 'files'): GraphQLObjectType {
    return object(
      shownName(to),
      () => ({
        id: member(isConnection ? 'globalId' : 'id', new GraphQLNonNull(GraphQLID)),
        ...(to === 'files' ? fileFields() : { ...attributeFields(to), ...systemFields(to, true) }),
        ...(isConnection && { databaseId: member('databaseId', new GraphQLNonNull(GraphQLInt)) }),
        documentId: member('documentId', new GraphQLNonNull(GraphQLID)),
      }),
      interfaces,
    )
  }

  function list(to: ContentType | 'files'): GraphQLObjectType {
    return isConnection ? connection(to) : numbered(to)
  }

  function numbered(to: ContentType | 'files'): GraphQLObjectType {
    const of = (name: PageMember, type: GraphQLScalarType): Shown => ({
      type: new GraphQLNonNull(type),
      meaning: { of: 'page', name },
    })
    return object(`${shownName(to)}List`, () => ({
      items: { type: listOf(shown(to)), meaning: { of: 'items' } },
      total: of('total', GraphQLInt),
      limit: of('limit', GraphQLInt),
      offset: of('offset', GraphQLInt),
      hasNextPage: of('hasNextPage', GraphQLBoolean),
    }))
  }

  function connection(to: ContentType | 'files'): GraphQLObjectType {
    const edge = object(`${shownName(to)}Edge`, () => ({
      node: { type: new GraphQLNonNull(shown(to)), meaning: self },
      cursor: { type: new GraphQLNonNull(GraphQLString), meaning: { of: 'cursor' } },
    }))
    return object(`${shownName(to)}Connection`, () => ({
      edges: { type: listOf(edge), meaning: { of: 'edges' } },
      pageInfo: { type: new GraphQLNonNull(pageInfo()), meaning: self },
      totalCount: {
        type: new GraphQLNonNull(GraphQLInt),
        meaning: { of: 'page', name: 'total' },
      },
    }))
  }

  function pageInfo(): GraphQLObjectType {
    const of = (name: PageMember, type: Shown['type']): Shown => ({
      type,
      meaning: { of: 'page', name },
    })
    const flag = new GraphQLNonNull(GraphQLBoolean)
    return object('PageInfo', () => ({
      hasNextPage: of('hasNextPage', flag),
      hasPreviousPage: of('hasPreviousPage', flag),
      startCursor: of('startCursor', GraphQLString),
      endCursor: of('endCursor', GraphQLString),
    }))
  }
}

const SURE_NODE = { id: { type: new GraphQLNonNull(GraphQLID) } }

function localeOf({ localized }: ContentType): GraphQLFieldConfigArgumentMap {
  return localized ? { locale: { type: LOCALE_CODE } } : {}
}

function statusOf({ draftAndPublish }: ContentType): GraphQLFieldConfigArgumentMap {
  return draftAndPublish ? { status: { type: STATUS, default: { value: 'LIVE' } } } : {}
}

function listOf(item: GraphQLObjectType) {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(item)))
}
