import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContentType } from '#content-model'
import { type Filter, type Include, Slot, toSlot } from '#content-query'
import { DomainError } from '#kernel'
import { createCursors } from '#paging'
import { restModel } from '#test-kit'
import { splitQuery } from './parameters.ts'
import { parseList, parseOne, type Version } from './parse.ts'

const { article, model, plain } = restModel

const cursors = createCursors({ key: Buffer.alloc(32, 1) })
const heard: unknown[] = []
const deps = {
  cursors,
  parseFilters(raw: unknown): Filter {
    heard.push(raw)
    return { kind: 'and', of: [] }
  },
}

function list(text: string, type: ContentType = article, version: Version = 1) {
  const parameters = splitQuery(text, true).read()
  const parsed = parseList({ model, type, version, parameters }, deps)
  return { ...parsed, query: { ...parsed.query, page: parsed.page.of([]) } }
}

/** With values in place of slots. */
function filled(filter: Filter | null): unknown {
  return Slot.within(filter).of([])
}

function one(text: string) {
  return parseOne({ model, type: article, version: 1, parameters: splitQuery(text, true).read() })
}

function refusal(text: string, type?: ContentType): DomainError {
  try {
    list(text, type)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  return assert.fail(`${text} was accepted`)
}

function names(include: readonly Include[]): unknown {
  return Object.fromEntries(
    include.map(({ field, depth, include }) => [field, depth === 'ids' ? 'ids' : names(include)]),
  )
}

test('without parameters a list is the first twenty live entries by id', () => {
  const { query, view } = list('')
  assert.equal(query.state, 'live')
  assert.deepEqual(query.page, { kind: 'offset', start: 0, limit: 20, count: true })
  assert.deepEqual(query.sort, [{ path: ['id'], order: 'asc' }])
  assert.equal(query.filter, null)
  assert.deepEqual(view, { version: 1, state: 'live', fields: null })
})

test('to-one relations and media come as ids, components whole, to-many only when included', () => {
  assert.deepEqual(names(list('').query.include), {
    author: 'ids',
    cover: 'ids',
    seo: { image: 'ids' },
  })
  assert.deepEqual(names(list('include=author,comments,seo.image').query.include), {
    author: { avatar: 'ids' },
    cover: 'ids',
    seo: { image: {} },
    comments: { article: 'ids' },
  })
})

test('what is not a relation, private or too deep is refused by name', () => {
  for (const entry of ['secret', 'author.password', 'title', 'nothing', 'author.avatar.x']) {
    const error = refusal(`include=cover,${entry}`)
    assert.equal(error.code, 'invalid_include', entry)
    assert.ok(error.message.includes(entry), error.message)
  }
  const deep = 'comments.article.comments.article'
  assert.match(refusal(`include=${deep}`).message, /article follows more than 3 relations/)
  assert.equal(list('include=comments.article.author').query.include.length, 4)
})

test('a status other than published reads working copies', () => {
  assert.equal(list('status=published').query.state, 'live')
  const { state, status } = list('status=changed').query
  assert.deepEqual({ state, status }, { state: 'working', status: 'changed' })
  assert.equal(list('status=all').query.status, undefined)
  assert.equal(list('status=all').query.state, 'working')
  assert.match(refusal('status=open').message, /^status must be one of/)
})

test('without drafts status is an attribute like any other', () => {
  const { query } = list('status=open', plain)
  assert.equal(query.state, 'live')
  assert.deepEqual(filled(query.filter), {
    ...{ kind: 'compare', field: 'status', operator: 'eq', fold: false },
    ...{ values: ['open'], at: ['status'] },
  })
})

test('a relation is filtered by id, by document id, or by its absence', () => {
  const compare = { kind: 'compare', operator: 'eq', fold: false, at: ['author_id'] }
  const at = ['author_id']
  assert.deepEqual(filled(list('author_id=3').query.filter), {
    ...{ kind: 'some', field: 'author', at },
    of: { ...compare, field: 'id', values: [3] },
  })
  const uuid = '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001'
  assert.deepEqual(filled(list(`author_id=${uuid.toUpperCase()}`).query.filter), {
    ...{ kind: 'some', field: 'author', at },
    of: { ...compare, field: 'documentId', values: [uuid] },
  })
  assert.deepEqual(list('author_id=').query.filter, { kind: 'missing', field: 'author', at })
  assert.match(refusal('author_id=abc').message, /^author_id must be an integer/)
})

test('membership of a to-many relation goes by the singular name of its target', () => {
  const { filter } = list('comment_id=4').query
  assert.equal(filter?.kind === 'some' && filter.field, 'comments')
})

test('a bare date includes its midnight, a time does not include itself', () => {
  const operator = (text: string) => {
    const { filter } = list(text).query
    assert.ok(filter?.kind === 'compare')
    return [filter.field, filter.operator, ...filter.values.map((value) => toSlot(value).of([]))]
  }
  assert.deepEqual(operator('created_after=2025-01-01'), [
    ...['createdAt', 'gte', '2025-01-01T00:00:00.000Z'],
  ])
  assert.deepEqual(operator('updated_after=2025-01-01T10:00:00%2B02:00'), [
    ...['updatedAt', 'gt', '2025-01-01T08:00:00.000Z'],
  ])
  assert.deepEqual(operator('published_before=2025-01-01'), [
    ...['publishedAt', 'lt', '2025-01-01T00:00:00.000Z'],
  ])
  assert.match(refusal('created_after=yesterday').message, /^created_after/)
  assert.match(refusal('created_after=2025-02-30').message, /^created_after/)
})

test('several filters hold together; private attributes are no parameters', () => {
  const { query, known } = list('title=A&keywords=x&notes=y&status=all')
  assert.equal(query.filter?.kind === 'and' && query.filter.of.length, 2)
  assert.ok(known.includes('title') && known.includes('status'))
  assert.ok(!known.includes('notes'))
})

test('brackets reach the operator language, under the names of answers', () => {
  list('filters[title][$containsi]=x&filters%5Bcreated_at%5D[$gt]=2025-01-01&page=1')
  assert.deepEqual(JSON.parse(JSON.stringify(heard.at(-1))), {
    title: { $containsi: 'x' },
    createdAt: { $gt: '2025-01-01' },
  })
  assert.match(refusal('filters[__proto__][a]=1').message, /__proto__/)
  assert.match(refusal('filters[title][$in][500]=1').message, /^filters is too large/)
  assert.match(refusal(`filters${'[a]'.repeat(30)}=1`).message, /^filters is too large/)
})

test('order and sort are checked', () => {
  assert.deepEqual(list('sort=created_at&order=desc').query.sort, [
    { path: ['createdAt'], order: 'desc' },
  ])
  assert.deepEqual(list('sort=author.name').query.sort, [
    { path: ['author', 'name'], order: 'asc' },
  ])
  const bad = [
    'nothing',
    'notes',
    'comments.body',
    'author',
    'author.password',
    'a.b.c',
    'keywords',
  ]
  for (const sort of bad) assert.match(refusal(`sort=${sort}`).message, /^sort/, sort)
  assert.match(refusal('order=up').message, /^order must be asc or desc/)
  assert.match(refusal('sort=published_at', plain).message, /^sort/)
})

test('fields narrows what is loaded', () => {
  const { query, view } = list('fields=title,cover_id')
  assert.deepEqual(names(query.include), { cover: 'ids' })
  assert.deepEqual([...(view.fields ?? [])].sort(), ['cover_id', 'id', 'title'])
  assert.match(refusal('fields=title,notes').message, /^fields names notes/)
})

test('locale and its fallbacks', () => {
  assert.deepEqual(list('').query.locale, { kind: 'default' })
  assert.deepEqual(list('locale=all').query.locale, { kind: 'all' })
  assert.deepEqual(list('locale=FR-ca&fallback_locale=auto').query.locale, {
    ...{ kind: 'one', code: 'fr-CA', fallback: ['fr', 'en'] },
  })
  assert.deepEqual(list('locale=fr', plain).query.locale, { kind: 'default' })
})

test('a repeated parameter is refused', () => {
  assert.match(refusal('status=all&status=draft').message, /^status must be given once/)
  assert.match(refusal('title=a&title=b').message, /^title must be given once/)
})

test('the three ways of paging, and version 2 by cursor', () => {
  assert.equal(list('cursor=').query.page.kind, 'cursor')
  assert.equal(list('limit=1000').query.page.limit, 100)
  assert.deepEqual(list('after_id=40&limit=5&order=desc').query.page, {
    ...{ kind: 'keyset', after: 40, before: null, limit: 5 },
  })
  assert.equal(refusal('page=1&cursor=').code, 'conflicting_pagination')
  assert.equal(refusal('after_id=1&sort=title').code, 'invalid_parameter')
  assert.equal(refusal('after_id=abc').code, 'invalid_parameter')
  assert.equal(list('', article, 2).query.page.kind, 'cursor')
  assert.equal(list('page=2', article, 2).query.page.kind, 'offset')
})

test('a cursor serves one list in one order only', () => {
  const { binding } = list('cursor=&sort=title&status=all&include=author')
  const cursor = cursors.encode({ direction: 'next', values: ['B', 7] }, binding.of([]))
  const next = list(`cursor=${cursor}&sort=title&status=all&fields=title&per_page=5`)
  assert.deepEqual(next.query.page, {
    ...{ kind: 'cursor', position: ['B', 7], direction: 'next', limit: 5, count: false },
  })
  for (const other of ['sort=id&status=all', 'sort=title', 'sort=title&status=all&title=A']) {
    assert.equal(refusal(`cursor=${cursor}&${other}`).code, 'invalid_cursor', other)
  }
  assert.equal(refusal(`cursor=${cursor.slice(1)}&sort=title&status=all`).code, 'invalid_cursor')
})

test('one record takes what shapes it', () => {
  const { query, view, known } = one('include=author&fields=title&status=draft&locale=fr&page=2')
  assert.equal(query.state, 'working')
  assert.deepEqual(view.fields, new Set(['title', 'id']))
  assert.ok(!known.includes('page'))
  assert.deepEqual(query.locale, { kind: 'one', code: 'fr', fallback: [] })
})
