import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DomainError } from '#kernel'
import { eachDatabase } from '#test-kit'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const BATCH: BatchBody = {
  contentTypes: [
    {
      singularName: 'author',
      pluralName: 'authors',
      draftAndPublish: true,
      attributes: {
        name: { type: 'string' },
        articles: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'article',
          mappedBy: 'author',
        },
        desk: { type: 'relation', relation: 'oneToOne', target: 'desk', mappedBy: 'owner' },
      },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      attributes: {
        title: { type: 'string' },
        author: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'author',
          inversedBy: 'articles',
        },
        topics: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'topic',
          inversedBy: 'articles',
        },
        cover: { type: 'media', allowedTypes: ['images'] },
        files: { type: 'media', multiple: true },
      },
    },
    {
      singularName: 'topic',
      pluralName: 'topics',
      attributes: {
        name: { type: 'string' },
        articles: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'article',
          mappedBy: 'topics',
        },
        desk: { type: 'relation', relation: 'manyToOne', target: 'desk', inversedBy: 'drawers' },
      },
    },
    {
      singularName: 'desk',
      pluralName: 'desks',
      attributes: {
        name: { type: 'string' },
        owner: { type: 'relation', relation: 'oneToOne', target: 'author', inversedBy: 'desk' },
        drawers: { type: 'relation', relation: 'oneToMany', target: 'topic', mappedBy: 'desk' },
        lamp: { type: 'relation', relation: 'oneToOne', target: 'topic' },
        shelves: { type: 'relation', relation: 'oneToMany', target: 'topic' },
      },
    },
  ],
}

eachDatabase('a relation', (kind) => {
  const opened = openContent(kind, BATCH)

  test('takes every form of input and keeps its order', async () => {
    const content = await opened
    const topics = await make(content, 'topic', 5)
    const [a, b, c, d, e] = topics.map(({ id }) => id)
    const [docA, , docC] = topics.map(({ documentId }) => documentId)
    const { id } = await makeOne(content, 'article', { topics: [a, String(b), docC] })
    const write = (input: unknown) => change(content, 'article', id, { topics: input })
    const list = () => targets(content, 'article', id, 'topics', topics)
    assert.deepEqual(await list(), [a, b, c])
    await write({ connect: [{ id: d, position: { before: b } }] })
    assert.deepEqual(await list(), [a, d, b, c])
    await write({ connect: [e, { id: a, position: { end: true } }], disconnect: [d] })
    assert.deepEqual(await list(), [b, c, e, a])
    await write({
      connect: [
        { id: docC, position: { start: true } },
        { id: b, position: { after: e } },
      ],
    })
    assert.deepEqual(await list(), [c, e, b, a])
    await write({ set: [{ id: b }, docA] })
    assert.deepEqual(await list(), [b, a])
    const held = await change(content, 'article', id, { topics: { connect: [a], disconnect: [c] } })
    assert.equal(held.changed, false)
    // Content findings 5: what is linked already moves.
    await write({ connect: [b] })
    assert.deepEqual(await list(), [a, b])
    await write({ set: [b, a] })
    await write({ connect: [{ id: d, position: { before: e } }], options: { strict: false } })
    assert.deepEqual(await list(), [b, a, d])
    await write(null)
    assert.deepEqual(await list(), [])
    await write([c, c, a])
    assert.deepEqual(await list(), [c, a])
    await write([])
    assert.deepEqual(await list(), [])
  })

  test('refuses what is malformed or unknown and writes nothing', async () => {
    const content = await opened
    const [one, two] = await make(content, 'topic', 2)
    const article = await makeOne(content, 'article', { topics: [one?.id] })
    const before = await content.events()
    const cases: [unknown, string, (string | number)[]][] = [
      ['x', 'validation_error', ['topics']],
      [{ put: [1] }, 'validation_error', ['topics']],
      [{ set: [1], connect: [2] }, 'validation_error', ['topics']],
      [[one?.id, {}], 'validation_error', ['topics', 1]],
      [
        { connect: [{ id: two?.id, position: { middle: 1 } }] },
        'validation_error',
        ['topics', 'connect', 0, 'position'],
      ],
      [{ connect: [two?.id, two?.documentId] }, 'validation_error', ['topics', 'connect', 1]],
      [[one?.id, 99_999], 'invalid_reference', ['topics']],
      ['0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001', 'invalid_reference', ['topics']],
      [
        { connect: [{ id: two?.id, position: { after: 99_999 } }] },
        'invalid_reference',
        ['topics', 'connect', 0, 'position'],
      ],
    ]
    for (const [input, code, path] of cases) {
      const values = { title: 'never', topics: input }
      const error = await refused(change(content, 'article', article.id, values))
      assert.deepEqual([error.code, error.issues[0]?.path], [code, path], JSON.stringify(input))
      const create = () => content.entries.create(WRITER, content.typeOf('article'), { values })
      if (path.length < 3) assert.equal((await refused(create())).code, code)
    }
    assert.equal((await content.events()).length, before.length)
    const rows = await content.rows('article')
    assert.ok(!rows.some((row) => String(row.doc).includes('never')))
  })

  test('to one keeps the last, and written from the other end moves the owner', async () => {
    const content = await opened
    const authors = await make(content, 'author', 2)
    const articles = await make(content, 'article', 3)
    const [ann, bob] = authors.map(({ id }) => id)
    const [x, y, z] = articles.map(({ id }) => id)
    await change(content, 'article', x ?? 0, { author: [ann, bob] })
    assert.deepEqual(await targets(content, 'article', x ?? 0, 'author', authors), [bob])
    const version = await versionOf(content, 'article', x ?? 0)
    await change(content, 'author', ann ?? 0, { articles: [z, x] })
    assert.deepEqual(await targets(content, 'article', x ?? 0, 'author', authors), [ann])
    assert.equal(await versionOf(content, 'article', x ?? 0), version + 1)
    assert.deepEqual(await owners(content, 'article', 'author', authors[0]?.documentId), [z, x])
    await change(content, 'author', ann ?? 0, {
      articles: { connect: [{ id: y, position: { before: x } }] },
    })
    assert.deepEqual(await owners(content, 'article', 'author', authors[0]?.documentId), [z, y, x])
    await change(content, 'author', bob ?? 0, { articles: { connect: [y] } })
    assert.deepEqual(await owners(content, 'article', 'author', authors[0]?.documentId), [z, x])
    await change(content, 'article', y ?? 0, { author: ann })
    assert.deepEqual(await owners(content, 'article', 'author', authors[0]?.documentId), [z, x, y])
    await change(content, 'author', ann ?? 0, { articles: { disconnect: [x] } })
    assert.deepEqual(await targets(content, 'article', x ?? 0, 'author', authors), [])
    const same = await change(content, 'author', ann ?? 0, { articles: [z, y] })
    assert.equal(same.changed, false)
  })

  test('where a target has one owner, linking takes it from the other', async () => {
    const content = await opened
    const [ann] = await make(content, 'author', 1)
    const topics = await make(content, 'topic', 3)
    const [s, t, u] = topics.map(({ id }) => id)
    const first = await makeOne(content, 'desk', { owner: ann?.id, drawers: [s, t] })
    const second = await makeOne(content, 'desk', { owner: ann?.id, drawers: [t, u] })
    assert.deepEqual(await targets(content, 'desk', first.id, 'owner', ann ? [ann] : []), [])
    assert.deepEqual(await targets(content, 'desk', second.id, 'owner', ann ? [ann] : []), [
      ann?.id,
    ])
    assert.deepEqual(await owners(content, 'topic', 'desk', first.documentId), [s])
    assert.deepEqual(await owners(content, 'topic', 'desk', second.documentId), [t, u])
  })

  test('content findings 1: without the other end a target is shared, whatever the relation is called', async () => {
    const content = await opened
    const topics = await make(content, 'topic', 2)
    const [s, t] = topics.map(({ id }) => id)
    const first = await makeOne(content, 'desk', { lamp: s, shelves: [s, t] })
    const second = await makeOne(content, 'desk', { lamp: s, shelves: [t] })
    for (const [{ id }, shelves] of [
      [first, [s, t]],
      [second, [t]],
    ] as const) {
      assert.deepEqual(await targets(content, 'desk', id, 'lamp', topics), [s])
      assert.deepEqual(await targets(content, 'desk', id, 'shelves', topics), shelves)
    }
  })

  test('changed in a draft leaves what is live as it was, on both ends', async () => {
    const content = await opened
    const authors = await make(content, 'author', 2)
    const [ann, bob] = authors.map(({ id }) => id)
    const article = await makeOne(content, 'article', { author: ann })
    await change(content, 'article', article.id, { author: bob }, 'draft')
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors, 'live'), [
      ann,
    ])
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors), [bob])
    await content.entries.discardDraft(WRITER, content.typeOf('article'), { id: article.id })
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors), [ann])
    await change(content, 'author', bob ?? 0, { articles: [article.id] }, 'draft')
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors, 'live'), [
      ann,
    ])
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors), [bob])
    await content.entries.publish(WRITER, content.typeOf('article'), { id: article.id })
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors, 'live'), [
      bob,
    ])
  })

  test('of a removed entry is gone on the other side too', async () => {
    const content = await opened
    const authors = await make(content, 'author', 1)
    const topics = await make(content, 'topic', 2)
    const [ann] = authors
    const article = await makeOne(content, 'article', {
      author: ann?.id,
      topics: topics.map(({ id }) => id),
    })
    const version = await versionOf(content, 'article', article.id)
    await content.entries.remove(WRITER, content.typeOf('author'), { id: ann?.id ?? 0 })
    assert.deepEqual(await targets(content, 'article', article.id, 'author', authors), [])
    assert.equal(await versionOf(content, 'article', article.id), version + 1)
    await content.entries.remove(WRITER, content.typeOf('article'), { id: article.id })
    assert.deepEqual(await owners(content, 'article', 'topics', topics[0]?.documentId), [])
  })

  test('to files takes ids and uuids of the kinds it allows', async () => {
    const content = await opened
    const image = await addFile(content, 'image/png')
    const text = await addFile(content, 'text/plain')
    const values = { title: 'm', cover: { id: image.id }, files: [text.uuid, image.id, text.id] }
    const { id } = await makeOne(content, 'article', values)
    assert.deepEqual(await linked(content, 'article', id, 'cover'), [image.uuid])
    assert.deepEqual(await linked(content, 'article', id, 'files'), [text.uuid, image.uuid])
    const wrong = await refused(change(content, 'article', id, { cover: text.id }))
    assert.deepEqual([wrong.code, wrong.issues[0]?.rule], ['validation_error', 'allowedTypes'])
    const unknown = await refused(change(content, 'article', id, { files: [99_999] }))
    assert.equal(unknown.code, 'invalid_reference')
    await change(content, 'article', id, { cover: null, files: [] })
    assert.deepEqual(await linked(content, 'article', id, 'files'), [])
  })

  test('written by many at once ends with one of their lists, whole', async () => {
    const content = await opened
    const topics = await make(content, 'topic', 6)
    const ids = topics.map(({ id }) => id)
    const article = await makeOne(content, 'article', {})
    const lists = ids.map((_, n) => [...ids.slice(n), ...ids.slice(0, n)])
    await Promise.all(lists.map((list) => change(content, 'article', article.id, { topics: list })))
    const last = await targets(content, 'article', article.id, 'topics', topics)
    assert.ok(lists.some((list) => list.join() === last.join()))
    const [desk, ...others] = await Promise.all(
      Array.from({ length: 4 }, () => makeOne(content, 'desk', { drawers: ids })),
    )
    const held = await Promise.all(
      [desk, ...others].map((each) => owners(content, 'topic', 'desk', each?.documentId)),
    )
    assert.equal(held.filter((list) => list.length === ids.length).length >= 1, true)
  })
})

interface Made {
  readonly id: number
  readonly documentId: string
}

async function makeOne(content: TestContent, name: string, values: Record<string, unknown>) {
  const { entry } = await content.entries.create(WRITER, content.typeOf(name), { values })
  return entry
}

async function make(content: TestContent, name: string, count: number): Promise<Made[]> {
  const made: Made[] = []
  for (let n = 0; n < count; n++) made.push(await makeOne(content, name, {}))
  return made
}

function change(
  content: TestContent,
  name: string,
  id: number,
  values: Record<string, unknown>,
  status?: 'draft',
) {
  return content.entries.update(WRITER, content.typeOf(name), { id }, { values }, { status })
}

async function linked(
  content: TestContent,
  name: string,
  id: number,
  attribute: string,
  flag: 'live' | 'work' = 'work',
): Promise<string[]> {
  const type = content.typeOf(name)
  const { rows } = await sql<{ target: string }>`
    select link.target from content_links as link
    join ${sql.table(type.table)} as copy on copy.copy_no = link.owner_copy
    where copy.id = ${id} and ${sql.ref(`copy.${flag}`)} = 1
      and link.attribute_no = ${type.attribute.get(attribute)?.no ?? 0}
    order by link.position
  `.execute(content.reader)
  return rows.map((row) => row.target)
}

/** Ids instead of documentIds, as far as these are known. */
async function targets(
  content: TestContent,
  name: string,
  id: number,
  attribute: string,
  known: readonly Made[],
  flag?: 'live' | 'work',
) {
  const documents = await linked(content, name, id, attribute, flag)
  return documents.map((each) => known.find(({ documentId }) => documentId === each)?.id)
}

/** Ids of the entries that link to a document, in the order seen from it. */
async function owners(content: TestContent, name: string, attribute: string, target = '') {
  const type = content.typeOf(name)
  const { rows } = await sql<{ id: number }>`
    select copy.id from content_links as link
    join ${sql.table(type.table)} as copy on copy.copy_no = link.owner_copy
    where copy.work = 1 and link.target = ${target}
      and link.attribute_no = ${type.attribute.get(attribute)?.no ?? 0}
    order by link.target_position, copy.id
  `.execute(content.reader)
  return rows.map((row) => row.id)
}

async function versionOf(content: TestContent, name: string, id: number): Promise<number> {
  const row = await content.reader
    .selectFrom('content_entries')
    .select('version')
    .where('type_no', '=', content.typeOf(name).no)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.version
}

let files = 0

async function addFile(content: TestContent, mime: string) {
  const uuid = `0195a8c2-7c1e-4b3a-9d44-${String(++files).padStart(12, '0')}`
  const row = { uuid, folder: '/', name: 'f', name_fold: 'f', hash: uuid, ext: '', mime }
  const more = { size_bytes: 1, provider: 'local', created_at: 0, updated_at: 0 }
  const { id } = await content.opened.database.main.writer
    .insertInto('content_files')
    .values({ ...row, ...more })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: Number(id), uuid }
}

async function refused(promise: Promise<unknown>): Promise<DomainError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DomainError, `expected a refusal, not ${String(error)}`)
  return error
}
