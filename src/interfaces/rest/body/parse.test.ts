import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '#content'
import { DomainError, invalid } from '#kernel'
import { restModel } from '#test-kit'
import { type Body, missingFrom, needsCurrent, parseBody, unwrap } from './parse.ts'

const { article, entryOf, model, plain } = restModel

const UUID = '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001'
const created = (body: Body, type = article) =>
  parseBody(body, { model, type, version: 1, mode: 'create' })
const changed = (body: Body, current?: Entry) =>
  parseBody(body, { model, type: article, version: 1, mode: 'change', current })

function issuesOf(act: () => unknown): string[] {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return error.issues.map(({ path, rule }) => `${path.join('.')} ${rule}`)
  }
  return []
}

test('exactly the shape of an answer is unwrapped', () => {
  assert.deepEqual(unwrap({ data: { title: 'A' } }), { title: 'A' })
  assert.deepEqual(unwrap({ data: { title: 'A' }, title: 'B' }), {
    ...{ data: { title: 'A' }, title: 'B' },
  })
  assert.deepEqual(unwrap({ data: [1] }), { data: [1] })
  assert.throws(() => unwrap(undefined), { code: 'invalid_json' })
  for (const body of [[], 'x', 1, null])
    assert.throws(() => unwrap(body), { code: 'validation_error' })
})

test('references are written by id or by name, in components too', () => {
  const { input } = created({
    ...{ title: 'A', author_id: 3, cover_id: null },
    seo: { description: 'd', image_id: 9 },
  })
  assert.deepEqual(input.values, {
    ...{ title: 'A', author: 3, cover: null },
    seo: { description: 'd', image: 9 },
  })
  assert.deepEqual(
    issuesOf(() => created({ author: 3, author_id: 3 })),
    ['author conflict'],
  )
})

test('a refusal names what the caller wrote', () => {
  const { withWireNames } = created({ author_id: 3, seo: { image_id: 1 } })
  const error = invalid([
    { path: ['author'], rule: 'type', message: '' },
    { path: ['seo', 'image'], rule: 'type', message: '' },
    { path: ['title'], rule: 'type', message: '' },
  ])
  assert.deepEqual(
    issuesOf(() => {
      throw withWireNames(error)
    }),
    ['author_id type', 'seo.image_id type', 'title type'],
  )
})

test('what is new chooses its status, language and document', () => {
  const { input, status } = created({ status: 'draft', locale: 'fr', document_id: UUID })
  assert.equal(status, 'draft')
  assert.equal(input.locale, 'fr')
  assert.equal(input.documentId, UUID)
  assert.deepEqual(
    issuesOf(() => created({ status: 'changed', locale: 1, document_id: 'x' })),
    [...['status enum', 'locale type', 'document_id type']],
  )
})

test('read-only members are refused unless they are what is stored', () => {
  const entry = entryOf(article, 7, { title: 'A' }, { status: 'changed' })
  const stored = {
    ...{ id: 7, document_id: entry.documentId, created_at: '2025-03-02T08:15:00.000Z' },
    ...{ published_at: '2025-03-02T08:15:00.000Z', locale: 'en', path: '/articles/7' },
  }
  assert.deepEqual(changed({ ...stored, title: 'B' }, entry).input.values, { title: 'B' })
  assert.ok(changed({ status: 'published' }, entry) && changed({ status: 'changed' }, entry))
  assert.deepEqual(
    issuesOf(() => changed({ id: 8, locale: 'fr', status: 'draft' }, entry)),
    [...['id read_only_field', 'status read_only_field', 'locale read_only_field']],
  )
  assert.deepEqual(
    issuesOf(() => created({ id: 7 })),
    ['id read_only_field'],
  )
  assert.ok(needsCurrent({ id: 7 }, article, 1) && !needsCurrent({ title: 'B' }, article, 1))
})

test('place, order and external id are system members', () => {
  const { input } = changed({
    external_id: 'x',
    tree_parent_id: UUID,
    sort_order: 3,
    is_root: true,
  })
  const { externalId, parent, sortOrder, isRoot } = input
  assert.deepEqual(
    { externalId, parent, sortOrder, isRoot },
    { externalId: 'x', parent: UUID, sortOrder: 3, isRoot: true },
  )
  assert.deepEqual(
    issuesOf(() => changed({ external_id: '', tree_parent_id: 7, sort_order: 1.5, is_root: 1 })),
    ['external_id type', 'tree_parent_id type', 'sort_order type', 'is_root type'],
  )
})

test('names that nobody knows are left for the store to report', () => {
  assert.deepEqual(created({ titel: 'A' }).input.values, { titel: 'A' })
  assert.deepEqual(created({ status: 'open', locale: 'fr' }, plain).input.values, {
    ...{ status: 'open', locale: 'fr' },
  })
})

test('a full update names every required attribute', () => {
  const names = (body: Body) => missingFrom(body, article).map(({ path }) => path.join('.'))
  assert.deepEqual(names({ price: 1 }), ['title'])
  assert.deepEqual(names({ title: 'A' }), [])
})
