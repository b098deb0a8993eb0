import { isShown, openapiOf } from '#content'
import { urlNameOf } from '#content-dialect'
import { type ContentModel, type ContentType, isScalar, isToMany } from '#content-model'
import { INTEGER, listOf, orNull, refTo, type Schema, TEXT, TIME } from '#content-openapi'
import type { OpenApiDocument } from '#http'
import type { CmsDeps } from '../deps.ts'
import { VARIANTS } from '../target.ts'

/** The document of this dialect: every content type as clients of the headless CMS know it. */
export function cmsDocument({ content }: Pick<CmsDeps, 'content'>): OpenApiDocument {
  return {
    title: 'Headless CMS',
    path: '/openapi/cms.json',
    description: 'Content as clients of the well-known headless CMS ask for it, below `/api`.',
    errors: { mediaType: 'application/json', schema: ERROR },
    security: [{}, { bearer: [] }, { apiKey: [] }],
    describe() {
      const model = content.model()
      return { revision: `content ${model.revision}`, paths: paths(model), schemas: schemas(model) }
    },
  }
}

const ERROR = object({
  data: { type: 'null' },
  error: object({ status: INTEGER, name: TEXT, message: TEXT, details: { type: 'object' } }),
})

function* schemas({ types }: ContentModel): Generator<object> {
  for (const type of types) {
    yield {
      [type.singularName]: object({ id: INTEGER, attributes: object(shown(type)) }),
      [`${type.singularName}.input`]: object({ data: object(taken(type)) }),
    }
  }
}

/** Relations and media appear when `populate` names them. */
function shown(type: ContentType): Record<string, Schema> {
  const own = type.attributes.filter(isShown).map((attribute): [string, Schema] => {
    if (isScalar(attribute)) return [attribute.name, orNull(openapiOf(attribute))]
    return [attribute.name, { description: 'With `populate`' }]
  })
  const published = type.draftAndPublish ? { publishedAt: orNull(TIME) } : {}
  const variants = { description: 'With `populate`' }
  const locale = type.localized ? { locale: TEXT, [VARIANTS]: variants } : {}
  return { ...Object.fromEntries(own), createdAt: TIME, updatedAt: TIME, ...published, ...locale }
}

function taken(type: ContentType): Record<string, Schema> {
  return Object.fromEntries(
    type.attributes.map((attribute) => {
      // Decimals are taken as text, too: more digits than a number has.
      if (attribute.type === 'decimal') return [attribute.name, orNull({ anyOf: [NUMBER, TEXT] })]
      if (isScalar(attribute)) return [attribute.name, orNull(openapiOf(attribute))]
      if (attribute.type === 'component') return [attribute.name, {}]
      return [attribute.name, isToMany(attribute) ? LINKS : orNull(INTEGER)]
    }),
  )
}

const NUMBER: Schema = { type: 'number' }
const LINKS: Schema = {
  anyOf: [listOf(INTEGER), { type: 'object' }],
  description: 'Ids, or { set }, or { connect, disconnect }',
}

function* paths(model: ContentModel): Generator<object> {
  for (const type of model.types) {
    const base = `/api/${urlNameOf(type)}`
    if (type.kind === 'singleType') yield { [base]: single(type) }
    else {
      yield { [base]: collection(type), [`${base}/{id}`]: { ...AT_ID, ...entry(type) } }
    }
    if (type.localized) yield variants(base, type)
  }
  yield {
    '/api/i18n/locales': { get: { ...LOCALES, responses: done(listOf({ type: 'object' })) } },
  }
}

const LOCALES = words('List languages', 'All languages of the store. One of them is the default.')
const ID = {
  name: 'id',
  in: 'path',
  required: true,
  schema: TEXT,
  description: 'id or document id',
}
const AT_ID = { parameters: [ID] }

function query(name: string, description: string): Schema {
  return { name, in: 'query', required: false, schema: TEXT, description }
}

const SHOWING = [
  query('populate', 'Relations, media and components to show: `*`, `deep`, names, or qs objects'),
  query('fields', 'Attributes to show, comma-separated'),
  query('locale', 'A language or all'),
  query('publicationState', '`preview` shows working copies and needs level write'),
]
const LISTING = [
  {
    ...{ name: 'filters', in: 'query', required: false, style: 'deepObject', explode: true },
    ...{ schema: { type: 'object' }, description: '`filters[title][$containsi]=crane`' },
  },
  query('sort', '`title:asc`, comma-separated'),
  {
    ...{ name: 'pagination', in: 'query', required: false, style: 'deepObject', explode: true },
    ...{ schema: { type: 'object' }, description: '`page` and `pageSize`, or `start` and `limit`' },
  },
  ...SHOWING,
]

function collection(type: ContentType): Schema {
  const { pluralName, displayName } = type
  const page = object({ data: listOf(refTo(type.singularName)), meta: { type: 'object' } })
  return {
    get: {
      ...words(
        `List ${pluralName}`,
        'A page of entries, filtered, sorted and populated as the query says. What may be read without a key depends on the type.',
      ),
      ...{ tags: [displayName], parameters: LISTING, responses: done(page) },
    },
    post: {
      ...words(
        `Create one of ${pluralName}`,
        'Stores an entry with the values in `data`. It is published unless `publishedAt` is null.',
      ),
      ...writing(type, SHOWING),
    },
  }
}

function entry(type: ContentType): Schema {
  const { singularName: name } = type
  return {
    get: {
      ...words(
        `Read one ${name}`,
        'One entry by id, populated as the query says. A draft is shown with `publicationState=preview` only.',
      ),
      ...{ tags: [type.displayName], parameters: SHOWING, responses: done(oneOf(type)) },
    },
    put: {
      ...words(
        `Change a ${name}`,
        'Changes the attributes in `data` and leaves the others. Relations take ids or `connect` and `disconnect`.',
      ),
      ...writing(type, SHOWING),
    },
    delete: {
      ...words(
        `Delete a ${name}`,
        'Removes the entry and answers with what it was. Relations that led to it lead nowhere.',
      ),
      ...{ tags: [type.displayName], security: KEYED, responses: done(oneOf(type)) },
    },
  }
}

function single(type: ContentType): Schema {
  const { get, put, delete: removal } = entry(type)
  return { get, put, delete: removal }
}

function variants(base: string, type: ContentType): object {
  const isSingle = type.kind === 'singleType'
  const path = isSingle ? `${base}/${VARIANTS}` : `${base}/{id}/${VARIANTS}`
  const post = {
    ...words(
      `Translate a ${type.singularName}`,
      'Adds the entry in another language, which `locale` in the body names. A language that is there already is refused.',
    ),
    ...writing(type, []),
    // Neither of both has `data` around it (contract §6).
    requestBody: sent(object({ ...taken(type), locale: TEXT })),
    responses: done(object({ id: INTEGER, ...shown(type) })),
  }
  return { [path]: { ...(isSingle ? {} : AT_ID), post } }
}

const KEYED = [{ bearer: [] }, { apiKey: [] }]

function writing(type: ContentType, parameters: readonly Schema[]): Schema {
  const schema = refTo(`${type.singularName}.input`)
  return {
    ...{ tags: [type.displayName], security: KEYED, parameters },
    requestBody: sent(schema),
    responses: done(oneOf(type)),
  }
}

function oneOf({ singularName }: ContentType): Schema {
  return object({ data: orNull(refTo(singularName)), meta: { type: 'object' } })
}

function sent(schema: Schema): Schema {
  return { required: true, content: { 'application/json': { schema } } }
}

function done(schema: Schema): Schema {
  return { 200: { description: 'Done', content: { 'application/json': { schema } } } }
}

function object(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties }
}

/** A title and two sentences. */
function words(summary: string, description: string) {
  return { summary, description }
}
