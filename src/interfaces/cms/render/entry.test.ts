import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Entry, Included } from '#content'
import { cmsModel } from '#test-kit'
import { splitQuery } from '../query/brackets.ts'
import { parseList } from '../query/parse.ts'
import { type Form, renderFile, renderList, renderLocalization, renderOne } from './entry.ts'

const { article, author, comment, entryOf, file, model, partOf } = cmsModel

const TIME = '2025-03-02T08:15:00.000Z'
const TIMES = { createdAt: TIME, updatedAt: TIME }
const FILE = {
  name: 'crane.png',
  alternativeText: 'A crane',
  caption: null,
  width: 2,
  height: 1,
  formats: null,
  hash: 'abc',
  ext: '.png',
  mime: 'image/png',
  size: 2.05,
  url: '/uploads/abc.png',
  previewUrl: null,
  provider: 'local',
  ...TIMES,
}

function shown(entry: Entry, query = '', form: Form = 'nested') {
  const { selection } = parseList(splitQuery(query).nest(), {
    model,
    type: entry.type,
    maxDepth: 3,
  })
  return JSON.parse(renderOne(entry, selection, form))
}

const related: Record<string, Included> = {
  author: { kind: 'entry', entry: entryOf(author, 3, { name: 'Ada' }) },
  comments: { kind: 'entries', entries: [entryOf(comment, 5, { body: 'Yes' })], total: 1 },
  cover: { kind: 'file', file },
  gallery: { kind: 'files', files: [file], total: 1 },
  seo: { kind: 'part', part: partOf(8, { description: 'd' }, { image: { kind: 'file', file } }) },
  blocks: { kind: 'parts', parts: [partOf(9, { heading: 'h' })] },
  localizations: { kind: 'entries', entries: [], total: 0 },
}

describe('one entry', () => {
  test('id, attributes and nothing else', () => {
    const entry = entryOf(article, 7, { title: 'Harbour cranes', summary: null })
    assert.deepEqual(shown(entry), {
      data: {
        id: 7,
        attributes: {
          title: 'Harbour cranes',
          summary: null,
          ...TIMES,
          publishedAt: TIME,
          locale: 'en',
        },
      },
      meta: {},
    })
  })

  test('the stored text is spliced in as it is', () => {
    const entry = { ...entryOf(comment, 1, {}), json: '{"big":12345678901234567890}' }
    const text = renderOne(entry, { fields: null, parts: new Map() }, 'nested')
    assert.ok(text.includes('{"big":12345678901234567890,"createdAt"'))
  })

  test('a type without attributes, drafts and languages', () => {
    assert.deepEqual(shown(entryOf(comment, 1, {})).data, { id: 1, attributes: TIMES })
  })

  test('fields narrow everything but id', () => {
    const entry = entryOf(article, 7, { title: 'a', summary: 'b' })
    assert.deepEqual(shown(entry, 'fields=title,locale').data, {
      id: 7,
      attributes: { title: 'a', locale: 'en' },
    })
    assert.deepEqual(shown(entry, 'fields=id').data, { id: 7, attributes: {} })
  })

  test('an unpublished one says null', () => {
    const entry = { ...entryOf(article, 7, {}), publishedAtMs: null }
    assert.equal(shown(entry).data.attributes.publishedAt, null)
  })
})

describe('populated parts', () => {
  test('relations, media and components, nested', () => {
    const entry = entryOf(article, 7, { title: 'a' }, related)
    const { attributes } = shown(entry, 'populate[0]=*&populate[1]=seo.image&fields=title').data
    assert.deepEqual(attributes, {
      title: 'a',
      cover: { data: { id: 4, attributes: FILE } },
      gallery: { data: [{ id: 4, attributes: FILE }] },
      author: { data: { id: 3, attributes: { name: 'Ada', ...TIMES } } },
      comments: { data: [{ id: 5, attributes: { body: 'Yes', ...TIMES } }] },
      seo: { id: 8, description: 'd', image: { data: { id: 4, attributes: FILE } } },
      blocks: [{ id: 9, heading: 'h' }],
      localizations: { data: [] },
    })
  })

  test('the same, flat', () => {
    const entry = entryOf(article, 7, { title: 'a' }, related)
    const query = 'populate[0]=*&populate[1]=seo.image&fields=title'
    assert.deepEqual(shown(entry, query, 'flat').data, {
      id: 7,
      documentId: '0190-7',
      title: 'a',
      cover: { id: 4, documentId: '0191-4', ...FILE },
      gallery: [{ id: 4, documentId: '0191-4', ...FILE }],
      author: { id: 3, documentId: '0190-3', name: 'Ada', ...TIMES },
      comments: [{ id: 5, documentId: '0190-5', body: 'Yes', ...TIMES }],
      seo: { id: 8, description: 'd', image: { id: 4, documentId: '0191-4', ...FILE } },
      blocks: [{ id: 9, heading: 'h' }],
      localizations: [],
    })
  })

  test('what is empty, and what was left out for this caller', () => {
    const entry = entryOf(
      article,
      7,
      {},
      {
        author: { kind: 'entry', entry: null },
        comments: { kind: 'entries', entries: [], total: 0 },
        cover: { kind: 'file', file: null },
        seo: { kind: 'part', part: null },
      },
    )
    const query = 'populate=author,comments,cover,seo,gallery&fields=id'
    assert.deepEqual(shown(entry, query).data.attributes, {
      author: { data: null },
      comments: { data: [] },
      cover: { data: null },
      seo: null,
    })
    assert.deepEqual(shown(entry, query, 'flat').data, {
      id: 7,
      documentId: '0190-7',
      author: null,
      comments: [],
      cover: null,
      seo: null,
    })
  })

  test('fields of a related entry and of a file', () => {
    const entry = entryOf(article, 7, {}, related)
    const query = 'fields=id&populate[author][fields]=name&populate[cover][fields][0]=url'
    assert.deepEqual(shown(entry, query).data.attributes, {
      author: { data: { id: 3, attributes: { name: 'Ada' } } },
      cover: { data: { id: 4, attributes: { url: '/uploads/abc.png' } } },
    })
  })

  test('a list that was cut says how long it is, and only then', () => {
    const comments = { kind: 'entries', entries: [entryOf(comment, 5, {})], total: 250 } as const
    const entry = entryOf(article, 7, {}, { comments })
    const cut = shown(entry, 'populate=comments').data.attributes.comments
    assert.deepEqual(cut.meta, { pagination: { start: 0, limit: 100, total: 250 } })
    const full = entryOf(article, 7, {}, { comments: { ...comments, total: 100 } })
    assert.equal(shown(full, 'populate=comments').data.attributes.comments.meta, undefined)
  })
})

describe('lists', () => {
  const entries = [entryOf(comment, 11, {}), entryOf(comment, 12, {})]
  const metaOf = (query: string, total: number | null, hasMore = false) => {
    const { selection, paging } = parseList(splitQuery(query).nest(), {
      model,
      type: comment,
      maxDepth: 3,
    })
    const page = { entries, text: null, related: '', total, hasMore, hasPrevious: true }
    return JSON.parse(renderList(page, selection, paging.of([]), 'nested')).meta
  }

  test('each mode tells its own figures', () => {
    assert.deepEqual(metaOf('pagination[pageSize]=2', 31), {
      pagination: { page: 1, pageSize: 2, pageCount: 16, total: 31 },
    })
    assert.deepEqual(metaOf('', 0), {
      pagination: { page: 1, pageSize: 25, pageCount: 0, total: 0 },
    })
    assert.deepEqual(metaOf('pagination[withCount]=false', null), {
      pagination: { page: 1, pageSize: 25 },
    })
    assert.deepEqual(metaOf('pagination[start]=4', 31), {
      pagination: { start: 4, limit: 25, total: 31 },
    })
    assert.deepEqual(metaOf('after_id=10&limit=2', null, true), {
      pagination: { limit: 2, after_id: 10, next_after_id: 12, has_more: true },
    })
    assert.deepEqual(metaOf('after_id=10&limit=2', null, false), {
      pagination: { limit: 2, after_id: 10, next_after_id: null, has_more: false },
    })
    assert.deepEqual(metaOf('before_id=13&limit=2', null), {
      pagination: { limit: 2, after_id: null, next_after_id: 12, has_more: true },
    })
  })
})

test('a new language variant is shown flat, with the others beside it', () => {
  const other = entryOf(article, 6, { title: 'en' })
  const localizations = { kind: 'entries', entries: [other], total: 1 } as const
  const entry = { ...entryOf(article, 7, { title: 'fr' }, { localizations }), locale: 'fr' }
  const more = { ...TIMES, publishedAt: TIME }
  assert.deepEqual(JSON.parse(renderLocalization(entry, 'nested')), {
    id: 7,
    title: 'fr',
    ...more,
    locale: 'fr',
    localizations: [{ id: 6, title: 'en', ...more, locale: 'en' }],
  })
})

test('a file of the upload routes is flat', () => {
  assert.deepEqual(JSON.parse(renderFile(file, 'nested')), { id: 4, ...FILE })
  assert.equal(JSON.parse(renderFile(file, 'flat')).documentId, '0191-4')
})
