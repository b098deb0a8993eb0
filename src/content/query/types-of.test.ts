import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Component, ContentModel, ContentType, RelationAttribute } from '../model.ts'
import type { Filter, Include } from './ast.ts'
import { typesOf } from './types-of.ts'

const base = { required: false, unique: false, private: false, searchable: true, localized: true }

function relation(name: string, target: string): RelationAttribute {
  return {
    ...{ ...base, no: 9, name, unversioned: false, type: 'relation', relation: 'manyToOne' },
    ...{ target, side: 'owning', linkNo: 9, inverse: null },
  }
}

function typeOf(no: number, name: string, attributes: ContentType['attributes']): ContentType {
  return {
    ...{ no, uuid: '', kind: 'collectionType', singularName: name, pluralName: `${name}s` },
    ...{ displayName: name, description: '', draftAndPublish: false, localized: true },
    permissions: {
      public: ['read'],
      read: ['read'],
      write: ['read', 'create', 'update', 'delete', 'publish'],
    },
    ...{ publicRead: true, displayField: null, entityType: 'node', bundle: name, uid: name },
    ...{
      slugField: null,
      createdAtMs: 0,
      updatedAtMs: 0,
      searched: true,
      changing: null,
      hasStrayLocales: false,
      table: 'content_v1',
      shape: 1,
    },
    ...{ attributes, attribute: new Map(attributes.map((one) => [one.name, one])) },
  }
}

const article = typeOf(1, 'article', [
  relation('author', 'author'),
  relation('topic', 'topic'),
  {
    ...base,
    no: 8,
    name: 'seo',
    unversioned: false,
    type: 'component',
    component: 'x.seo',
    repeatable: false,
  },
])
const author = typeOf(2, 'author', [relation('city', 'city')])
const topic = typeOf(3, 'topic', [])
const city = typeOf(4, 'city', [])
const inSeo = [relation('reviewer', 'author')]
const seo: Component = {
  ...{ no: 1, table: 'content_c1', shape: 1, uid: 'x.seo', category: 'x', name: 'seo' },
  ...{ displayName: '', description: '', attributes: inSeo },
  attribute: new Map(inSeo.map((one) => [one.name, one])),
}
const types = [article, author, topic, city]
const model: ContentModel = {
  ...{ revision: 1, types, formerTypes: [], components: [seo], locales: [], defaultLocale: 'en' },
  findType: (name) => types.find((type) => type.singularName === name),
  typeByNo: (no) => types.find((type) => type.no === no),
  findComponent: () => seo,
  findLocale: () => undefined,
}

const include = (field: string, inner: Include[] = [], filter: Filter | null = null): Include => ({
  ...{ field, filter, sort: [], start: 0, limit: 100, include: inner, depth: 'entries' },
  named: true,
})
const missing = (field: string): Filter => ({ kind: 'missing', field })
const some = (field: string, of: Filter): Filter => ({ kind: 'some', field, of })

test('every type that a part of the query leads to, and no other', () => {
  const of = (filter: Filter | null, includes: Include[] = [], path: string[] = ['id']) =>
    typesOf(model, {
      type: article,
      filter,
      include: includes,
      sort: [{ path, order: 'asc' }],
    }).toSorted((a, b) => a - b)
  assert.deepEqual(of(null), [1])
  assert.deepEqual(of(some('author', some('city', missing('name')))), [1, 2, 4])
  assert.deepEqual(of({ kind: 'not', of: { kind: 'or', of: [missing('topic')] } }), [1, 3])
  assert.deepEqual(of(null, [include('author', [include('city')])]), [1, 2, 4])
  assert.deepEqual(of(null, [include('seo', [include('reviewer')])]), [1, 2])
  assert.deepEqual(of(null, [include('author', [], missing('city'))]), [1, 2, 4])
  assert.deepEqual(of(null, [include('localizations', [include('topic')])]), [1, 3])
  assert.deepEqual(of(null, [], ['author', 'city', 'name']), [1, 2, 4])
})
