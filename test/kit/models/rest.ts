import type { Entry, Included } from '#content'
import type { Attribute, Component, ContentModel, ContentType } from '#content-model'

/** A small model by hand, for the tests of what needs no store. */
const common = {
  required: false,
  unique: false,
  private: false,
  searchable: true,
  localized: true,
  unversioned: false,
}

let last = 0

type Given<A> = A extends Attribute ? Partial<A> & Pick<A, 'type'> : never

function attribute(name: string, options: Given<Attribute>): Attribute {
  const base = { ...common, no: ++last, name }
  switch (options.type) {
    case 'relation': {
      const relation = options.relation ?? 'manyToOne'
      const target = options.target ?? 'author'
      const owned = { side: 'owning', linkNo: last, inverse: null } as const
      return { ...base, ...owned, ...options, relation, target }
    }
    case 'media':
      return { ...base, multiple: false, allowedTypes: [], ...options }
    case 'component':
      return { ...base, component: 'default.seo', repeatable: false, ...options }
    case 'dynamiczone':
      return { ...base, components: ['default.seo'], ...options }
    case 'enumeration':
      return { ...base, enum: ['a', 'b'], ...options }
    default:
      return { ...base, ...options }
  }
}

function fieldSet(attributes: readonly Attribute[]) {
  const byName = new Map(attributes.map((each) => [each.name, each]))
  return { no: ++last, attributes, attribute: byName, shape: 1, history: [] }
}

function contentType(
  singularName: string,
  attributes: readonly Attribute[],
  more: Partial<ContentType> = {},
): ContentType {
  const set = fieldSet(attributes)
  return {
    ...set,
    table: `content_v${set.no}`,
    uuid: `0195a8c2-7c1e-7b3a-9d44-${String(set.no).padStart(12, '0')}`,
    kind: 'collectionType',
    singularName,
    pluralName: `${singularName}s`,
    displayName: singularName,
    description: '',
    draftAndPublish: false,
    localized: false,
    publicRead: true,
    permissions: {
      public: ['read'],
      read: ['read'],
      write: ['read', 'create', 'update', 'delete', 'publish'],
    },
    displayField: null,
    entityType: 'node',
    bundle: singularName,
    uid: `api::${singularName}.${singularName}`,
    slugField: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    searched: true,
    changing: null,
    hasStrayLocales: false,
    ...more,
  }
}

function component(name: string, attributes: readonly Attribute[]): Component {
  const set = fieldSet(attributes)
  return {
    ...set,
    ...{ table: `content_c${set.no}`, uid: `default.${name}`, category: 'default', name },
    ...{ displayName: name, description: '' },
  }
}

function contentModel(
  types: readonly ContentType[],
  components: readonly Component[] = [],
): ContentModel {
  const names = ({ singularName, pluralName, uid }: ContentType) => [singularName, pluralName, uid]
  const locale = (code: string, fallback: string | null) => ({
    ...{ id: 1, code, name: code, isDefault: code === 'en', fallback },
    ...{ createdAtMs: 0, updatedAtMs: 0 },
  })
  const locales = [locale('en', null), locale('fr', 'en'), locale('fr-CA', 'fr')]
  return {
    revision: 1,
    types,
    formerTypes: [],
    components,
    locales,
    defaultLocale: 'en',
    findType: (name) => types.find((type) => names(type).includes(name)),
    typeByNo: (no) => types.find((type) => type.no === no),
    findComponent: (uid) => components.find((each) => each.uid === uid),
    findLocale: (code) => locales.find((each) => each.code.toLowerCase() === code.toLowerCase()),
  }
}

const author = contentType('author', [
  attribute('name', { type: 'string' }),
  attribute('password', { type: 'password' }),
  attribute('avatar', { type: 'media' }),
])
const comment = contentType('comment', [
  attribute('body', { type: 'text' }),
  attribute('article', { type: 'relation', target: 'article' }),
])
export const article = contentType(
  'article',
  [
    attribute('title', { type: 'string', required: true }),
    attribute('price', { type: 'decimal' }),
    attribute('keywords', { type: 'tags' }),
    attribute('notes', { type: 'text', private: true }),
    attribute('author', { type: 'relation', target: 'author' }),
    attribute('cover', { type: 'media' }),
    attribute('seo', { type: 'component' }),
    attribute('comments', { type: 'relation', relation: 'oneToMany', target: 'comment' }),
    attribute('secret', { type: 'relation', target: 'author', private: true }),
  ],
  { draftAndPublish: true, localized: true },
)
export const plain = contentType('note', [
  attribute('text', { type: 'text' }),
  attribute('status', { type: 'string' }),
])
const seo = component('seo', [
  attribute('description', { type: 'string' }),
  attribute('image', { type: 'media' }),
])
export const model = contentModel([author, comment, article, plain], [seo])

export function entryOf(
  type: ContentType,
  id: number,
  values: Record<string, string | number | null>,
  {
    included = {},
    ...more
  }: Partial<Omit<Entry, 'included'>> & {
    included?: Record<string, Included>
  } = {},
): Entry {
  return {
    type,
    copyNo: id,
    id,
    documentId: `0195a8c2-7c1e-7b3a-9d44-${String(id).padStart(12, '0')}`,
    locale: type.localized ? 'en' : null,
    createdAtMs: 1_740_903_300_000,
    updatedAtMs: 1_740_903_300_000,
    publishedAtMs: type.draftAndPublish ? 1_740_903_300_000 : null,
    status: 'published',
    parent: null,
    sortOrder: 1,
    isRoot: false,
    path: `/${type.pluralName}/${id}`,
    version: 1,
    revisionId: 1,
    createdBy: null,
    updatedBy: null,
    externalId: null,
    schedule: null,
    json: JSON.stringify(values),
    values: () => values,
    formats: {},
    ...more,
    included: new Map(Object.entries(included)),
  }
}
