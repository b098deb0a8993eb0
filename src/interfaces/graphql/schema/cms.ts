import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import type { ContentType } from '#content-model'
import { listName, oneName } from '../target.ts'
import type { Building, Shown, ShownFields } from './building.ts'
import { createFields, member, systemFields } from './entries.ts'
import { createFilters } from './filters.ts'
import { createInputs } from './inputs.ts'
import { DATE_TIME, LOCALE_CODE } from './scalars.ts'

const STATE = new GraphQLEnumType({
  name: 'PublicationState',
  values: { LIVE: { value: 'LIVE' }, PREVIEW: { value: 'PREVIEW' } },
})
const whole = { type: GraphQLInt }
const PAGINATION = new GraphQLInputObjectType({
  name: 'PaginationArg',
  fields: { page: whole, pageSize: whole, start: whole, limit: whole },
})
const ID = { id: { type: GraphQLID } }
const SURE_ID = { id: { type: new GraphQLNonNull(GraphQLID) } }
const self = { of: 'self' } as const

/** The CMS shape: everything in `data` and `attributes` (contract §4). */
export function cmsRoots(building: Building): { query: ShownFields; mutation: ShownFields } {
  const { model, object, nameOf } = building
  const { filterOf, localeFilter } = createFilters(building)
  const { inputOf, fileInput } = createInputs(building)
  const { attributeFields, fileFields } = createFields(building, {
    one: (to) => ({ type: response(to) }),
    many: (to) => ({ type: related(to), args: { ...listArguments(to), ...stateOf(to) } }),
  })
  return { query: queries(), mutation: changes() }

  function queries(): ShownFields {
    const fields: Record<string, Shown> = {}
    for (const type of model.types) {
      const args = { ...localeOf(type), ...stateOf(type) }
      const one = { type: response(type), args: { ...ID, ...args } }
      if (type.kind === 'singleType') {
        fields[oneName(type)] = { ...one, args, meaning: { of: 'single', to: type } }
        continue
      }
      fields[oneName(type)] = { ...one, meaning: { of: 'one', to: type } }
      fields[listName(type)] = {
        type: collection(type),
        args: { ...listArguments(type), ...stateOf(type), ...localeOf(type) },
        meaning: { of: 'list', to: type },
      }
    }
    const files = { type: collection('files'), args: listArguments('files') }
    fields['uploadFile'] = {
      type: response('files'),
      args: ID,
      meaning: { of: 'one', to: 'files' },
    }
    fields['uploadFiles'] = { ...files, meaning: { of: 'list', to: 'files' } }
    fields['i18NLocales'] = {
      type: locales(),
      args: paged(localeFilter()),
      meaning: { of: 'locales' },
    }
    return fields
  }

  function changes(): ShownFields {
    const fields: Record<string, Shown> = {}
    for (const type of model.types) Object.assign(fields, changesOf(type))
    const file = { type: response('files') }
    fields['updateUploadFile'] = {
      ...file,
      args: { ...SURE_ID, info: { type: new GraphQLNonNull(fileInput()) } },
      meaning: { of: 'fileChange', action: 'update' },
    }
    fields['deleteUploadFile'] = {
      ...file,
      args: SURE_ID,
      meaning: { of: 'fileChange', action: 'remove' },
    }
    return fields
  }

  function changesOf(type: ContentType): ShownFields {
    const name = nameOf(type)
    const id = type.kind === 'singleType' ? {} : SURE_ID
    const data = { data: { type: new GraphQLNonNull(inputOf(type)) } }
    const change = (action: 'create' | 'update' | 'remove' | 'localize', args: object): Shown => ({
      type: response(type),
      args: { ...args, ...localeOf(type) },
      meaning: { of: 'change', action, to: type },
    })
    const localize = change('localize', {
      ...(type.kind === 'singleType' ? {} : ID),
      data: { type: inputOf(type) },
    })
    return {
      ...(type.kind === 'collectionType' && { [`create${name}`]: change('create', data) }),
      [`update${name}`]: change('update', { ...id, ...data }),
      [`delete${name}`]: change('remove', id),
      ...(type.localized && { [`create${name}Localization`]: localize }),
    }
  }

  function localeOf({ localized }: ContentType): GraphQLFieldConfigArgumentMap {
    return localized ? { locale: { type: LOCALE_CODE } } : {}
  }

  function listArguments(to: ContentType | 'files'): GraphQLFieldConfigArgumentMap {
    return paged(filterOf(to))
  }

  function shownName(to: ContentType | 'files'): string {
    return to === 'files' ? 'UploadFile' : nameOf(to)
  }

  function response(to: ContentType | 'files'): GraphQLObjectType {
    return object(`${shownName(to)}EntityResponse`, () => ({
      data: { type: entity(to), meaning: self },
    }))
  }

  function collection(to: ContentType | 'files'): GraphQLObjectType {
    return object(`${shownName(to)}EntityResponseCollection`, () => ({
      data: { type: listOf(entity(to)), meaning: { of: 'items' } },
      meta: { type: new GraphQLNonNull(meta()), meaning: self },
    }))
  }

  function related(to: ContentType | 'files'): GraphQLObjectType {
    return object(`${shownName(to)}RelationResponseCollection`, () => ({
      data: { type: listOf(entity(to)), meaning: { of: 'items' } },
    }))
  }

  function entity(to: ContentType | 'files'): GraphQLObjectType {
    return object(`${shownName(to)}Entity`, () => ({
      id: member('id', GraphQLID),
      attributes: { type: attributes(to), meaning: self },
    }))
  }

  function attributes(to: ContentType | 'files'): GraphQLObjectType {
    if (to === 'files') return object('UploadFile', fileFields)
    return object(nameOf(to), () => ({
      ...attributeFields(to),
      ...systemFields(to, false),
      ...(to.localized && {
        localizations: {
          type: related(to),
          args: { ...listArguments(to), ...stateOf(to) },
          meaning: { of: 'step', attribute: 'localizations', to, many: true },
        },
      }),
    }))
  }

  function meta(): GraphQLObjectType {
    const number = new GraphQLNonNull(GraphQLInt)
    const pagination = object('Pagination', () => ({
      total: { type: number, meaning: { of: 'page', name: 'total' } },
      page: { type: number, meaning: { of: 'page', name: 'page' } },
      pageSize: { type: number, meaning: { of: 'page', name: 'pageSize' } },
      pageCount: { type: number, meaning: { of: 'page', name: 'pageCount' } },
    }))
    return object('ResponseCollectionMeta', () => ({
      pagination: { type: new GraphQLNonNull(pagination), meaning: self },
    }))
  }

  function locales(): GraphQLObjectType {
    const of = (name: string, type: Shown['type']): Shown => ({
      type,
      meaning: { of: 'localeMember', name },
    })
    const locale = object('I18NLocale', () => ({
      name: of('name', GraphQLString),
      code: of('code', GraphQLString),
      createdAt: of('createdAt', DATE_TIME),
      updatedAt: of('updatedAt', DATE_TIME),
    }))
    const shown = object('I18NLocaleEntity', () => ({
      id: of('id', GraphQLID),
      attributes: { type: locale, meaning: self },
    }))
    return object('I18NLocaleEntityResponseCollection', () => ({
      data: { type: listOf(shown), meaning: { of: 'items' } },
      meta: { type: new GraphQLNonNull(meta()), meaning: self },
    }))
  }
}

function paged(filter: GraphQLInputObjectType): GraphQLFieldConfigArgumentMap {
  return {
    filters: { type: filter },
    pagination: { type: PAGINATION, default: { value: {} } },
    sort: { type: new GraphQLList(GraphQLString), default: { value: [] } },
  }
}

function stateOf(to: ContentType | 'files'): GraphQLFieldConfigArgumentMap {
  if (to === 'files' || !to.draftAndPublish) return {}
  return { publicationState: { type: STATE, default: { value: 'LIVE' } } }
}

function listOf(item: GraphQLObjectType) {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(item)))
}
