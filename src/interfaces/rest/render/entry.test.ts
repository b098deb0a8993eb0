import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Included, MediaFile } from '#content'
import { restModel } from '#test-kit'
import type { View } from '../query/parse.ts'
import { renderRecord } from './entry.ts'

const { article, entryOf, model, plain } = restModel

const v1: View = { version: 1, state: 'live', fields: null }
const v2: View = { ...v1, version: 2 }
const show = (entry: Entry, view = v1) => JSON.parse(renderRecord(entry, view))

const author = model.findType('author')
const comment = model.findType('comment')
const seo = model.findComponent('default.seo')
assert.ok(author && comment && seo)

const values = { title: 'Harbour "cranes"', price: 12.5, keywords: null }
const file: MediaFile = {
  ...{ id: 9, uuid: '0195a8c2-7c1e-7b3a-9d44-000000000909', folder: '/', name: 'a.png' },
  ...{ hash: 'h', ext: '.png', mime: 'image/png', alternativeText: 'A', caption: null },
  ...{ width: 10, height: 20, formats: null, sizeBytes: 1_234, url: '/uploads/h.png' },
  ...{ previewUrl: null, provider: 'local', focalPoint: null, crops: [] },
  ...{ createdAtMs: 0, updatedAtMs: 0 },
}
const reference = { id: 3, documentId: '0195a8c2-7c1e-7b3a-9d44-000000000003' }
const ids: Record<string, Included> = {
  author: { kind: 'ids', ids: [reference], total: 1 },
  cover: { kind: 'ids', ids: [], total: 0 },
}

test('a record has its ids, attributes, references and system members in this order', () => {
  const text = renderRecord(entryOf(article, 7, values, { included: ids }), v1)
  assert.equal(
    text,
    '{"id":7,"document_id":"0195a8c2-7c1e-7b3a-9d44-000000000007",' +
      '"title":"Harbour \\"cranes\\"","price":12.5,"keywords":null,"author_id":3,"cover_id":null,' +
      '"status":"published","locale":"en","path":"/articles/7","tree_parent_id":null,' +
      '"sort_order":1,"external_id":null,"created_at":"2025-03-02T08:15:00.000Z",' +
      '"updated_at":"2025-03-02T08:15:00.000Z","published_at":"2025-03-02T08:15:00.000Z"}',
  )
})

test('version 2 has document ids where version 1 has numbers', () => {
  const { id, entry_id, document_id, author_id, cover_id } = show(
    entryOf(article, 7, values, { included: ids }),
    v2,
  )
  const documentId = '0195a8c2-7c1e-7b3a-9d44-000000000007'
  assert.deepEqual(
    { id, entry_id, document_id, author_id, cover_id },
    {
      id: documentId,
      entry_id: 7,
      document_id: documentId,
      author_id: reference.documentId,
      cover_id: null,
    },
  )
})

test('without drafts and languages their members are absent; the root says so', () => {
  const record = show(entryOf(plain, 1, { text: 'x', status: 'open' }, { isRoot: true }))
  assert.equal(record.status, 'open')
  assert.equal(record.is_root, true)
  assert.ok(!('locale' in record) && !('published_at' in record))
})

test('a live copy is published, a working copy says what it is', () => {
  const entry = entryOf(article, 7, values, { status: 'changed' })
  assert.equal(show(entry).status, 'published')
  assert.equal(show(entry, { ...v1, state: 'working' }).status, 'changed')
})

test('included records stand beside their id, in the same version', () => {
  const written = entryOf(
    author,
    3,
    { name: 'Ann' },
    { included: { avatar: { kind: 'file', file } } },
  )
  const included: Record<string, Included> = {
    author: { kind: 'entry', entry: written },
    cover: { kind: 'file', file: null },
  }
  const record = show(entryOf(article, 7, values, { included }), v2)
  assert.equal(record.author_id, written.documentId)
  assert.equal(record.author.entry_id, 3)
  assert.equal(record.author.name, 'Ann')
  assert.deepEqual(record.author.avatar, {
    ...{ id: file.uuid, entry_id: 9, url: '/uploads/h.png', alternative_text: 'A', caption: null },
    ...{ mime: 'image/png', width: 10, height: 20, size: 1.23 },
  })
  assert.equal(record.cover, null)
  assert.equal(record.cover_id, null)
})

test('a long list is cut and says so', () => {
  const entries = Array.from({ length: 101 }, (_, index) =>
    entryOf(comment, index + 1, { body: '' }),
  )
  const many = (total: number): Record<string, Included> => ({
    comments: { kind: 'entries', entries: entries.slice(0, total), total },
  })
  const short = show(entryOf(article, 7, values, { included: many(2) }))
  assert.deepEqual(
    short.comments.map(({ id }: { id: number }) => id),
    [1, 2],
  )
  assert.ok(!('comments_truncated' in short))
  const long = show(entryOf(article, 7, values, { included: many(101) }))
  assert.equal(long.comments.length, 100)
  assert.equal(long.comments_truncated, true)
})

test('components are embedded with their own references', () => {
  const inner: ReadonlyMap<string, Included> = new Map([
    ['image', { kind: 'ids', ids: [{ id: 9, documentId: file.uuid }], total: 1 }],
  ])
  const json = '{"description":"d"}'
  const shown = { component: seo, id: 4, json, values: () => JSON.parse(json) }
  const part = { ...shown, formats: {}, included: inner }
  const one = show(entryOf(article, 7, values, { included: { seo: { kind: 'part', part } } }))
  assert.deepEqual(one.seo, { id: 4, description: 'd', image_id: 9 })
  const list = show(
    entryOf(article, 7, values, { included: { seo: { kind: 'parts', parts: [part, part] } } }),
  )
  assert.equal(list.seo.length, 2)
})

test('fields shows what was asked for, and the id', () => {
  const fields = new Set(['id', 'title', 'updated_at'])
  const record = show(entryOf(article, 7, values), { ...v1, fields })
  assert.deepEqual(record, {
    id: 7,
    title: 'Harbour "cranes"',
    updated_at: '2025-03-02T08:15:00.000Z',
  })
})

test('an entry without attributes is still an object', () => {
  assert.equal(show(entryOf(plain, 1, {})).id, 1)
})
