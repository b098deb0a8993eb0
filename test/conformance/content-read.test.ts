import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Content } from '#content'
import type { ContentQuery, Include, PageChoice } from '#content-query'
import { DomainError } from '#kernel'
import { eachDatabase } from '#test-kit'
import { counted } from './content-query/counted.ts'
import { randomDocuments } from './content-query/documents.ts'
import { openStore } from './content-query/open-store.ts'
import { createDice } from './content-query/random.ts'
import { writeRows } from './content-query/write-rows.ts'

const WRITER = { level: 'write' } as const
const NOBODY = { level: null } as const
const documents = randomDocuments(createDice(7), { writer: 5, topic: 6, story: 200 })

eachDatabase('reading content', (kind) => {
  const statements: string[] = []
  const opened = openStore(kind, (database) => counted(database, statements)).then(
    async ({ database, content }) => {
      await writeRows(database, content.model(), documents)
      return { content, database }
    },
  )

  test('content-model 17: a page of 100 asks no more of the store than a page of 10', async () => {
    const { content } = await opened
    const include = ['writer', 'topics', 'localizations', 'blocks'].map((field) => ({
      ...toInclude(field),
      include: field === 'topics' ? [toInclude('broader'), toInclude('stories')] : [],
    }))
    const counts = []
    for (const limit of [10, 100]) {
      statements.length = 0
      const page: PageChoice = { kind: 'offset', start: 0, limit, count: true }
      const found = await content.find(WRITER, { ...stories(content), page, include })
      assert.equal(found.entries.length, limit)
      counts.push(statements.length)
    }
    // Where all steps of a batch see one moment the total is one of them.
    assert.deepEqual(counts, kind === 'sqlite' ? [8, 8] : [7, 7])
  })

  test('the same query has the same text whatever its values are', async () => {
    const { content } = await opened
    const texts = []
    for (const title of ['a', 'zzz']) {
      statements.length = 0
      const values = [title, 'b', 'c'].slice(0, title.length)
      const filter = {
        kind: 'compare',
        field: 'title',
        operator: 'in',
        fold: true,
        values,
      } as const
      await content.find(WRITER, { ...stories(content), filter })
      texts.push([...statements])
    }
    assert.deepEqual(texts[0], texts[1])
  })

  test('one entry is found by id in its own language, by document in the one asked for', async () => {
    const { content } = await opened
    const { entries } = await content.find(WRITER, stories(content))
    const french = entries.find(({ locale }) => locale === 'fr')
    assert.ok(french)
    const one = { ...stories(content), locale: { kind: 'default' } } as const
    assert.equal((await content.findOne(WRITER, one, { id: french.id }))?.locale, 'fr')
    const { documentId } = french
    const found = await content.findOne(WRITER, one, { documentId, locale: 'FR' })
    assert.equal(found?.id, french.id)
    assert.equal(await content.findOne(WRITER, one, { documentId, locale: 'xx' }), undefined)
    const fallback = { kind: 'one', code: 'xx', fallback: ['fr'] } as const
    const instead = await content.findOne(
      WRITER,
      { ...one, locale: fallback },
      { documentId, locale: 'xx' },
    )
    assert.equal(instead?.id, french.id)
    assert.equal(await content.findOne(WRITER, one, { id: 100_000 }), undefined)
  })

  test('by keyset the bounds need not exist and both directions meet', async () => {
    const { content } = await opened
    const ids = (await content.find(WRITER, stories(content))).entries.map(({ id }) => id)
    const seen: number[] = []
    let after: number | null = null
    for (let more = true; more; ) {
      const page: PageChoice = { kind: 'keyset', after, before: null, limit: 40 }
      const found = await content.find(WRITER, { ...stories(content), page })
      seen.push(...found.entries.map(({ id }) => id))
      more = found.hasMore
      after = seen.at(-1) ?? null
    }
    assert.deepEqual(seen, ids)
    const [first = 0, second = 0, third = 0] = ids
    const before: PageChoice = { kind: 'keyset', after: null, before: third, limit: 5 }
    const earlier = await content.find(WRITER, { ...stories(content), page: before })
    assert.deepEqual(
      earlier.entries.map(({ id }) => id),
      [first, second],
    )
    const downwards = { path: ['id'], order: 'desc' } as const
    const page: PageChoice = { kind: 'keyset', after: third, before: null, limit: 5 }
    const lower = await content.find(WRITER, { ...stories(content), sort: [downwards], page })
    assert.deepEqual(
      lower.entries.map(({ id }) => id),
      [second, first],
    )
  })

  test('content-model 10: case is folded in every script, and only where it is asked for', async () => {
    const { content } = await opened
    assert.deepEqual(await titles(content, 'eq', 'ИВАН', true), ['ИВАН', 'иван'])
    assert.deepEqual(await titles(content, 'eq', 'ÉTÉ', true), ['e\u0301te\u0301', 'ÉTÉ', 'été'])
    assert.deepEqual(await titles(content, 'contains', 'ΟΔΟΣ', true), ['ΟΔΟΣ', 'ΟΔΟΣΑ', 'οδος'])
    assert.deepEqual(await titles(content, 'eq', 'STRASSE', true), ['STRASSE'])
    assert.deepEqual(await titles(content, 'eq', 'STRAßE', true), ['straße'])
    assert.deepEqual(await titles(content, 'contains', 'B', false), ['AB', 'aB c'])
    assert.deepEqual(await titles(content, 'contains', '100%', true), ['100%'])
    assert.deepEqual(await titles(content, 'contains', 'a_b', true), ['a_b'])
    assert.deepEqual(await titles(content, 'endsWith', 'a\\b', false), ['a\\b'])
  })

  test('content-model 11: equal sort values over pages of 7 show each entry exactly once', async () => {
    const { content } = await opened
    for (const path of [['flag'], ['topics', 'name'], ['writer', 'age']]) {
      const sort = [{ path, order: 'desc' }] as const
      const seen: number[] = []
      let total = 0
      for (let start = 0; start === 0 || start < total; start += 7) {
        const page: PageChoice = { kind: 'offset', start, limit: 7, count: true }
        const found = await content.find(WRITER, { ...stories(content), sort, page })
        seen.push(...found.entries.map(({ id }) => id))
        total = found.total ?? 0
      }
      assert.equal(seen.length, total)
      assert.equal(new Set(seen).size, total)
    }
  })

  test('a copy of an older shape shows the attributes of today in their order', async () => {
    const { content, database } = await opened
    const type = content.model().findType('story')
    assert.ok(type)
    const [before] = (await content.find(WRITER, stories(content))).entries
    await database.main.writer
      .updateTable(type.table)
      .set({ shape: 0, doc: '{"gone":1}' })
      .where('copy_no', '=', before?.copyNo ?? 0)
      .execute()
    const [after] = (await content.find(WRITER, stories(content))).entries
    assert.deepEqual(after?.values(), before?.values())
    const scalars = [...type.attributes].filter(
      ({ type: kind }) => !['relation', 'component', 'dynamiczone', 'media'].includes(kind),
    )
    assert.deepEqual(
      Object.keys(after?.values() ?? {}),
      scalars.map(({ name }) => name),
    )
  })

  test('system members are told by @ from attributes of the same name', async () => {
    const { content, database } = await opened
    const { entries } = await content.find(WRITER, stories(content))
    const [root, child, grandchild] = entries.filter(({ locale }) => locale === 'en')
    assert.ok(root && child && grandchild)
    const type = stories(content).type.no
    const place = (id: number, row: object) =>
      database.main.writer
        .updateTable('content_entries')
        .set(row)
        .where('id', '=', id)
        .where('type_no', '=', type)
        .execute()
    await place(root.id, { is_root: 1, path: '/', external_id: 'x-1' })
    await place(child.id, { parent: root.documentId, path: '/child', ancestors_live: 0 })
    await place(grandchild.id, { parent: child.documentId, path: '/child/deep' })
    assert.deepEqual(await found('@parent', 'eq', root.documentId), [child.id])
    assert.deepEqual(await found('path', 'startsWith', '/child'), [child.id, grandchild.id])
    assert.deepEqual(await found('externalId', 'eq', 'x-1'), [root.id])
    assert.deepEqual(await found('@ancestorsLive', 'eq', false), [child.id])
    assert.deepEqual(await found('@level', 'eq', 1), [root.id])
    assert.deepEqual(await found('@level', 'eq', 3), [grandchild.id])
    const drafts = entries.filter(({ status }) => status === 'draft').map(({ id }) => id)
    assert.deepEqual(await found('@status', 'eq', 'draft'), drafts)
    const first = [{ path: ['@level'], order: 'asc' }] as const
    const sorted = await content.find(WRITER, { ...stories(content), sort: first })
    assert.equal(sorted.entries[0]?.id, root.id)
    assert.equal(sorted.entries.at(-1)?.id, grandchild.id)
    const refused = await refusal(found('parent', 'eq', 'x'))
    assert.equal(refused.issues[0]?.rule, 'unknown_field')

    async function found(
      field: string,
      operator: 'eq' | 'startsWith',
      value: string | number | boolean,
    ) {
      const filter = { kind: 'compare', field, operator, fold: false, values: [value] } as const
      const page = await content.find(WRITER, { ...stories(content), filter })
      return page.entries.map(({ id }) => id)
    }
  })

  test('patterns know two wildcards and nothing else', async () => {
    const { content } = await opened
    assert.deepEqual(await titles(content, 'like', 'A_B', true), ['a\\b', 'a_b', 'axb'])
    assert.deepEqual(await titles(content, 'like', 'straß%', true), ['straße'])
    assert.deepEqual(await titles(content, 'like', 'a\\%', true), ['a\\b'])
    assert.deepEqual(await titles(content, 'like', '__', true), ['AB', 'ab', 'İ', '😀a'])
  })

  test('a level of includes may have a state of its own', async () => {
    const { content } = await opened
    const type = content.model().findType('writer')
    assert.ok(type)
    const asked = { ...stories(content), type, state: 'live' } as const
    const statuses = async (state: 'live' | 'working') => {
      const include = [{ ...toInclude('stories'), state }]
      const { entries } = await content.find(WRITER, { ...asked, include })
      const lists = entries.map((entry) => entry.included.get('stories'))
      return new Set(
        lists
          .flatMap((list) => (list?.kind === 'entries' ? list.entries : []))
          .map((each) => each.status),
      )
    }
    assert.equal((await statuses('live')).has('draft'), false)
    assert.equal((await statuses('working')).has('draft'), true)
    const refused = content.find(
      { level: 'read' },
      { ...asked, include: [{ ...toInclude('stories'), state: 'working' }] },
    )
    assert.equal((await refusal(refused)).kind, 'forbidden')
  })

  test('every fault of a query is told with the place the caller wrote', async () => {
    const { content } = await opened
    const compare = { kind: 'compare', operator: 'eq', fold: false } as const
    const of = [
      { ...compare, field: 'nope', values: ['x'], at: ['filters', 'nope'] },
      { ...compare, field: 'whole', values: ['x'], at: ['filters', 'whole', '$eq'] },
      { ...compare, field: 'meta', values: ['x'], at: ['filters', 'meta'] },
      { kind: 'some', field: 'title', of: { kind: 'missing', field: 'x' } },
    ] as const
    const include = [toInclude('title')]
    const sort = [{ path: ['topics'], order: 'asc' }] as const
    const query = { ...stories(content), filter: { kind: 'and', of }, sort, include } as const
    const error = await refusal(content.find(WRITER, query))
    assert.equal(error.code, 'invalid_query')
    assert.deepEqual(
      error.issues.map(({ path, rule }) => `${path.join('.')} ${rule}`),
      [
        'filters.nope unknown_field',
        'filters.whole.$eq wrong_type',
        'filters.meta not_comparable',
        'title unknown_relation',
        'sort.topics not_comparable',
        'include.title unknown_relation',
      ],
    )
    const cursor = { kind: 'cursor', direction: 'next', limit: 1, count: false } as const
    for (const position of [[], ['x'], [1, 2], [null], [1.5]]) {
      const page = { ...cursor, position }
      const bad = await refusal(content.find(WRITER, { ...stories(content), page }))
      assert.equal(bad.code, 'invalid_cursor')
    }
  })

  test('content-model 15: drafts are refused to readers and need a key', async () => {
    const { content } = await opened
    const reader = await refusal(content.find({ level: 'read' }, stories(content)))
    assert.equal(reader.kind, 'forbidden')
    assert.deepEqual(reader.facts, { required: 'write' })
    const nobody = await refusal(content.find(NOBODY, stories(content)))
    assert.equal(nobody.code, 'api_key_required')
  })
})

function stories(content: Content): ContentQuery {
  const type = content.model().findType('story')
  if (!type) throw new Error('no type story')
  return {
    type,
    state: 'working',
    locale: { kind: 'all' },
    filter: null,
    search: '',
    sort: [],
    page: { kind: 'offset', start: 0, limit: 1_000, count: true },
    include: [],
  }
}

/** The different titles found, in the order of their code points. */
async function titles(
  content: Content,
  operator: 'eq' | 'contains' | 'endsWith' | 'like',
  value: string,
  fold: boolean,
): Promise<unknown[]> {
  const filter = { kind: 'compare', field: 'title', operator, fold, values: [value] } as const
  const { entries } = await content.find(WRITER, { ...stories(content), filter })
  return [...new Set(entries.map((entry) => entry.values()['title']))].sort()
}

function toInclude(field: string): Include {
  return {
    field,
    filter: null,
    sort: [],
    start: 0,
    limit: 100,
    include: [],
    depth: 'entries',
    named: true,
  }
}

async function refusal(work: Promise<unknown>): Promise<DomainError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof DomainError, String(error))
    return error
  }
  assert.fail('it was not refused')
}
