/** A small model and entries of it, made by hand, for the tests of this folder. */
import type { Entry, Included, JsonObject, MediaFile, Part } from '#content'
import type { Attribute, Component, ContentModel, ContentType, Locale } from '#content-model'

const base = {
  no: 1,
  required: false,
  unique: false,
  private: false,
  searchable: true,
  localized: true,
  unversioned: false,
}

const text = (name: string, more: object = {}): Attribute => ({
  ...base,
  name,
  type: 'string',
  ...more,
})
const media = (name: string, multiple = false): Attribute => {
  return { ...base, name, type: 'media', multiple, allowedTypes: [] }
}
const relation = (name: string, target: string, kind: 'manyToOne' | 'oneToMany'): Attribute => ({
  ...base,
  ...{ name, target, relation: kind, type: 'relation' },
  ...{ side: 'owning', linkNo: 1, inverse: null },
})
const component = (name: string, uid: string, repeatable = false): Attribute => {
  return { ...base, name, type: 'component', component: uid, repeatable }
}

const byName = (attributes: readonly Attribute[]) => {
  return { attributes, attribute: new Map(attributes.map((one) => [one.name, one])) }
}

function typeOf(singularName: string, attributes: readonly Attribute[], more: object = {}) {
  const type: ContentType = {
    ...byName(attributes),
    ...{ no: 1, table: 'content_v1', shape: 1, uuid: '', kind: 'collectionType' },
    ...{ singularName, pluralName: `${singularName}s`, displayName: singularName },
    ...{ description: '', draftAndPublish: false, localized: false, publicRead: true },
    permissions: {
      public: ['read'],
      read: ['read'],
      write: ['read', 'create', 'update', 'delete', 'publish'],
    },
    ...{ displayField: null, entityType: 'node', bundle: singularName, slugField: null },
    ...{
      uid: `api::${singularName}.${singularName}`,
      createdAtMs: 0,
      updatedAtMs: 0,
      searched: true,
      changing: null,
      hasStrayLocales: false,
    },
    ...more,
  }
  return type
}

export const article = typeOf(
  'article',
  [
    text('title'),
    text('secret', { private: true }),
    text('pin', { type: 'password' }),
    media('cover'),
    media('gallery', true),
    relation('author', 'author', 'manyToOne'),
    relation('comments', 'comment', 'oneToMany'),
    component('seo', 'default.seo'),
    component('blocks', 'default.block', true),
    { ...relation('notes', 'comment', 'oneToMany'), private: true },
  ],
  { draftAndPublish: true, localized: true },
)
export const author = typeOf('author', [
  text('name'),
  media('avatar'),
  relation('articles', 'article', 'oneToMany'),
])
export const comment = typeOf('comment', [text('body'), relation('author', 'author', 'manyToOne')])
const home = typeOf('home', [text('title')], { kind: 'singleType', localized: true })

const componentOf = (name: string, attributes: readonly Attribute[]): Component => ({
  ...byName(attributes),
  ...{ no: 1, table: 'content_c1', shape: 1, uid: `default.${name}`, category: 'default' },
  ...{ name, displayName: name, description: '' },
})
const seo = componentOf('seo', [text('description'), media('image')])
const block = componentOf('block', [text('heading'), component('seo', 'default.seo')])

const localeOf = (id: number, code: string, fallback: string | null): Locale => {
  return { id, code, name: code, isDefault: id === 1, fallback, createdAtMs: 0, updatedAtMs: 0 }
}

const types = [article, author, comment, home]
const components = [seo, block]
const locales = [localeOf(1, 'en', null), localeOf(2, 'fr', 'en'), localeOf(3, 'fr-CH', 'fr')]

export const model: ContentModel = {
  ...{ revision: 1, types, formerTypes: [], components, locales, defaultLocale: 'en' },
  findType: (name) =>
    types.find((type) => [type.singularName, type.pluralName, type.uid].includes(name)),
  typeByNo: () => undefined,
  findComponent: (uid) => components.find((one) => one.uid === uid),
  findLocale: (code) => locales.find((one) => one.code.toLowerCase() === code.toLowerCase()),
}

const AT = Date.parse('2025-03-02T08:15:00.000Z')

export function entryOf(
  type: ContentType,
  id: number,
  values: JsonObject,
  included: Record<string, Included> = {},
): Entry {
  return {
    ...{ type, id, copyNo: id, documentId: `0190-${id}`, locale: type.localized ? 'en' : null },
    ...{ createdAtMs: AT, updatedAtMs: AT, publishedAtMs: type.draftAndPublish ? AT : null },
    ...{ status: 'published', parent: null, sortOrder: 0, isRoot: false, path: null },
    ...{ version: 1, revisionId: 1, externalId: null, createdBy: null, formats: {} },
    schedule: null,
    updatedBy: null,
    json: JSON.stringify(values),
    values: () => values,
    included: new Map(Object.entries(included)),
  }
}

export function partOf(id: number, values: JsonObject, included: Record<string, Included> = {}) {
  const part: Part = {
    component: seo,
    id,
    formats: {},
    json: JSON.stringify(values),
    values: () => values,
    included: new Map(Object.entries(included)),
  }
  return part
}

export const file: MediaFile = {
  ...{ id: 4, uuid: '0191-4', folder: '/', name: 'crane.png', hash: 'abc', ext: '.png' },
  ...{ mime: 'image/png', alternativeText: 'A crane', caption: null, width: 2, height: 1 },
  ...{ formats: null, sizeBytes: 2_048, url: '/uploads/abc.png', previewUrl: null },
  ...{ provider: 'local', focalPoint: null, crops: [], createdAtMs: AT, updatedAtMs: AT },
}
