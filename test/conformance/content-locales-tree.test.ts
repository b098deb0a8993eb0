import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { eachDatabase } from '#test-kit'
import type { EntryInput } from '../../src/content/entries/ports.ts'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const BATCH: BatchBody = {
  components: [
    {
      name: 'seo',
      displayName: 'SEO',
      attributes: { text: { type: 'string' }, words: { type: 'tags' } },
    },
  ],
  contentTypes: [
    {
      singularName: 'page',
      pluralName: 'pages',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', localized: true },
        slug: { type: 'uid', targetField: 'title' },
        color: { type: 'string', localized: false },
        code: { type: 'string', localized: false, unique: true },
        seo: { type: 'component', component: 'default.seo', localized: false },
        topics: { type: 'relation', relation: 'manyToMany', target: 'topic', localized: false },
        stock: { type: 'integer', unversioned: true },
      },
    },
    { singularName: 'topic', pluralName: 'topics', attributes: { name: { type: 'string' } } },
    {
      singularName: 'home',
      pluralName: 'homes',
      kind: 'singleType',
      localized: true,
      attributes: { title: { type: 'string' } },
    },
    {
      singularName: 'product',
      pluralName: 'products',
      draftAndPublish: true,
      attributes: {
        name: { type: 'string' },
        sku: { type: 'string', unique: true },
        price: { type: 'decimal' },
        stock: { type: 'integer', default: 0, unversioned: true },
        is_in_stock: { type: 'boolean', default: true, unversioned: true },
      },
    },
    { singularName: 'order', pluralName: 'orders', attributes: { total: { type: 'decimal' } } },
  ],
}

eachDatabase('languages of a document', (kind) => {
  const opened = openLocalized(kind)

  test('are entries of their own that share what is not localised', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('page')
    const topic = await entries.create(WRITER, typeOf('topic'), { values: {} })
    const values = {
      title: 'Harbour',
      color: 'red',
      code: 'h',
      stock: 3,
      seo: { text: 's', words: ['a', 'b'] },
      topics: [topic.entry.id],
    }
    const en = await entries.create(WRITER, type, { values })
    assert.equal(en.entry.locale, 'en')
    const { documentId } = en.entry
    const fr = await entries.create(WRITER, type, {
      values: { title: 'Port' },
      documentId,
      locale: 'FR',
    })
    assert.notEqual(fr.entry.id, en.entry.id)
    assert.deepEqual(
      [fr.entry.locale, fr.entry.documentId, fr.entry.path],
      ['fr', documentId, '/pages/port'],
    )
    assert.deepEqual(fr.entry.values(), {
      title: 'Port',
      slug: 'port',
      color: 'red',
      code: 'h',
      stock: 3,
    })
    assert.deepEqual(await besides(content, fr.entry.copyNo), { links: 1, tags: 2, parts: 1 })

    const twice = await refused(
      entries.create(WRITER, type, { values: {}, documentId, locale: 'fr' }),
    )
    assert.deepEqual([twice.kind, twice.code], ['conflict', 'locale_exists'])
    const nowhere = await refused(entries.create(WRITER, type, { values: {}, locale: 'xx' }))
    assert.deepEqual([nowhere.kind, nowhere.issues[0]?.path], ['invalid', ['locale']])

    await entries.update(
      WRITER,
      type,
      { documentId, locale: 'fr' },
      input({ color: 'blue', title: 'Le port' }),
    )
    assert.deepEqual(await docs(content, en.entry.id), [['Harbour', 'blue', 1, 1]])
    await entries.update(WRITER, type, { documentId, locale: null }, input({ color: 'green' }), {
      status: 'draft',
    })
    assert.deepEqual(await docs(content, en.entry.id), [
      ['Harbour', 'blue', 1, 0],
      ['Harbour', 'green', 0, 1],
    ])
    assert.deepEqual(await docs(content, fr.entry.id), [
      ['Le port', 'blue', 1, 0],
      ['Le port', 'green', 0, 1],
    ])
    await entries.publish(WRITER, type, { id: en.entry.id })
    assert.deepEqual(await docs(content, en.entry.id), [['Harbour', 'green', 1, 1]])
    assert.deepEqual(await docs(content, fr.entry.id), [['Le port', 'green', 1, 1]])
    await entries.adjust(WRITER, type, { id: fr.entry.id }, 'stock', { by: 4 })
    const stocks = (await content.rows('page'))
      .filter((row) => [en.entry.id, fr.entry.id].includes(row.id))
      .map((row) => JSON.parse(String(row.doc)).stock)
    assert.deepEqual(stocks, [7, 7])
    const other = await refused(
      entries.create(WRITER, type, { values: { title: 'x', code: 'h' }, locale: 'fr' }),
    )
    assert.deepEqual(other.issues[0]?.path, ['code'])
  })

  test('are published and removed one by one, or removed together', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('page')
    const draft = { status: 'draft' } as const
    const { entry: en } = await entries.create(WRITER, type, input({ title: 'One' }), draft)
    const { documentId } = en
    const { entry: fr } = await entries.create(
      WRITER,
      type,
      { values: { title: 'Un' }, documentId, locale: 'fr' },
      draft,
    )
    await entries.publish(WRITER, type, { documentId, locale: 'fr' })
    assert.deepEqual(await states(content, documentId), { en: 'draft', fr: 'published' })
    await entries.remove(WRITER, type, { documentId, locale: 'fr' })
    assert.deepEqual(await states(content, documentId), { en: 'draft' })
    await entries.create(WRITER, type, { values: { title: 'Un' }, documentId, locale: 'fr' })
    const before = (await content.events()).at(-1)?.ord
    const removed = await entries.remove(
      WRITER,
      type,
      { documentId, locale: 'en' },
      { allLocales: true },
    )
    assert.equal(removed.length, 2)
    const told = await content.events(before)
    assert.deepEqual(
      told.map(({ type: name, live, payload }) => [name, live, payload.locale]),
      [
        ['page.deleted', false, 'en'],
        ['page.deleted', true, 'fr'],
      ],
    )
    assert.ok(fr.id > en.id)
  })

  test('of a single type are at most one document', async () => {
    const { entries, typeOf } = await opened
    const home = typeOf('home')
    const { entry } = await entries.create(WRITER, home, input({ title: 'Hello' }))
    assert.equal(entry.path, '/home')
    const again = await refused(entries.create(WRITER, home, input({ title: 'Again' })))
    assert.equal(again.code, 'locale_exists')
    const fr = await entries.create(WRITER, home, { values: { title: 'Salut' }, locale: 'fr' })
    assert.equal(fr.entry.documentId, entry.documentId)
  })

  test('take the document id they are given, once', async () => {
    const { entries, typeOf } = await opened
    const documentId = '0195A8C2-7c1e-7b3a-9d44-1f6a2b90c0aa'
    const { entry } = await entries.create(WRITER, typeOf('topic'), { values: {}, documentId })
    assert.equal(entry.documentId, documentId.toLowerCase())
    const twice = await refused(entries.create(WRITER, typeOf('topic'), { values: {}, documentId }))
    assert.deepEqual([twice.kind, twice.issues[0]?.path], ['conflict', ['documentId']])
    const foreign = await refused(
      entries.create(WRITER, typeOf('page'), { values: {}, documentId }),
    )
    assert.equal(foreign.kind, 'conflict')
    const bad = await refused(
      entries.create(WRITER, typeOf('page'), { values: {}, documentId: 'x' }),
    )
    assert.equal(bad.kind, 'invalid')
  })
})

eachDatabase('the tree', (kind) => {
  const opened = openLocalized(kind)

  test('gives paths, which move with their parents and are remembered', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('page')
    const top = await page(content, { values: { title: 'Top' } })
    const mid = await page(content, { values: { title: 'Mid' }, parent: top.documentId })
    const leaf = await page(content, {
      values: { title: 'Leaf', slug: 'LEAF' },
      parent: mid.documentId,
    })
    const note = await entries.create(WRITER, typeOf('topic'), {
      values: {},
      parent: leaf.documentId,
    })
    const deep = `/pages/top/mid/leaf/${note.entry.id}`
    assert.deepEqual(
      [top.path, mid.path, leaf.path, note.entry.path],
      ['/pages/top', '/pages/top/mid', '/pages/top/mid/leaf', deep],
    )
    assert.deepEqual([mid.sortOrder, leaf.sortOrder], [1, 1])

    await entries.update(WRITER, type, { id: top.id }, input({ slug: 'new' }))
    assert.equal(await pathOf(content, leaf.documentId), '/pages/new/mid/leaf')
    assert.equal(await pathOf(content, note.entry.documentId), deep.replace('top', 'new'))
    assert.equal(await formerOwner(content, '/pages/top/mid/leaf'), leaf.documentId)
    await entries.update(WRITER, type, { id: mid.id }, { values: {}, parent: null })
    assert.equal(await pathOf(content, leaf.documentId), '/pages/mid/leaf')
    assert.equal(await formerOwner(content, deep), note.entry.documentId)

    await page(content, { values: { title: 'Top' } })
    assert.equal(await formerOwner(content, '/pages/top'), undefined)
    const loop = await refused(
      entries.update(WRITER, type, { id: mid.id }, { values: {}, parent: leaf.documentId }),
    )
    assert.deepEqual([loop.kind, loop.issues[0]?.path], ['unprocessable', ['parent']])
    const self = await refused(
      entries.update(WRITER, type, { id: mid.id }, { values: {}, parent: mid.documentId }),
    )
    assert.equal(self.kind, 'unprocessable')
    const unknown = '0195a8c2-7c1e-7b3a-9d44-1f6a2b90ffff'
    const nowhere = await refused(
      entries.update(WRITER, type, { id: mid.id }, { values: {}, parent: unknown }),
    )
    assert.equal(nowhere.code, 'invalid_reference')

    await entries.remove(WRITER, type, { id: mid.id })
    assert.equal(await pathOf(content, leaf.documentId), '/pages/leaf')
    assert.equal(await formerOwner(content, '/pages/mid/leaf'), leaf.documentId)
  })

  test('refuses a path that is taken, and shares none between types', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const parent = await page(content, { values: { title: 'Shelf' } })
    const { entry: topic } = await entries.create(WRITER, typeOf('topic'), {
      values: {},
      parent: parent.documentId,
    })
    const clash = { values: { title: 'x', slug: String(topic.id) }, parent: parent.documentId }
    const error = await refused(entries.create(WRITER, typeOf('page'), clash))
    assert.deepEqual(
      [error.kind, error.code, error.issues[0]?.path],
      ['conflict', 'conflict', ['slug']],
    )
    const made = await page(content, {
      values: { title: String(topic.id) },
      parent: parent.documentId,
    })
    assert.equal(made.path, `/pages/shelf/${topic.id}-2`)
    await page(content, { values: { title: 'Case', slug: 'Case' } })
    const lower = await refused(
      entries.create(WRITER, typeOf('page'), input({ title: 'x', slug: 'case' })),
    )
    assert.deepEqual(lower.issues[0]?.path, ['slug'])
  })

  test('has one root for each language, under which paths start', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const root = await page(content, { values: { title: 'Start' }, isRoot: true })
    const child = await page(content, { values: { title: 'Below' }, parent: root.documentId })
    assert.deepEqual([root.path, child.path, root.isRoot], ['/', '/below', true])
    const second = await refused(
      entries.create(WRITER, typeOf('page'), { values: { title: 'R2' }, isRoot: true }),
    )
    assert.deepEqual([second.kind, second.issues[0]?.path], ['conflict', ['isRoot']])
    await page(content, {
      values: { title: 'Racine' },
      isRoot: true,
      documentId: root.documentId,
      locale: 'fr',
    })
    const { entry } = await entries.update(
      WRITER,
      typeOf('page'),
      { id: root.id },
      { values: {}, isRoot: false },
    )
    assert.equal(entry.path, '/pages/start')
    assert.equal(await pathOf(content, child.documentId), '/pages/start/below')
  })

  test('a draft with another slug keeps the path until it is published', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('page')
    const one = await page(content, { values: { title: 'Live' } })
    const draft = await entries.update(WRITER, type, { id: one.id }, input({ slug: 'next' }), {
      status: 'draft',
    })
    assert.equal(draft.entry.path, '/pages/live')
    const published = await entries.publish(WRITER, type, { id: one.id })
    assert.equal(published.entry.path, '/pages/next')
    assert.equal(await formerOwner(content, '/pages/live'), one.documentId)
  })

  test('knows what hangs below something unpublished', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('page')
    const top = await page(content, { values: { title: 'Closed' } }, 'draft')
    const child = await page(content, { values: { title: 'Inside' }, parent: top.documentId })
    const grandchild = await page(content, {
      values: { title: 'Deeper' },
      parent: child.documentId,
    })
    assert.deepEqual(await aliveBelow(content, [top, child, grandchild]), [1, 0, 0])
    await entries.publish(WRITER, type, { id: top.id })
    assert.deepEqual(await aliveBelow(content, [top, child, grandchild]), [1, 1, 1])
    await entries.unpublish(WRITER, type, { id: child.id })
    assert.deepEqual(await aliveBelow(content, [top, child, grandchild]), [1, 1, 0])
    await entries.update(WRITER, type, { id: grandchild.id }, { values: {}, parent: null })
    assert.deepEqual(await aliveBelow(content, [top, child, grandchild]), [1, 1, 1])
  })

  test('follows the language of each variant', async () => {
    const content = await opened
    const top = await page(content, { values: { title: 'Area' } })
    const child = await page(content, { values: { title: 'Spot' }, parent: top.documentId })
    const endroit = { values: { title: 'Endroit' }, documentId: child.documentId, locale: 'fr' }
    const frChild = await page(content, endroit)
    assert.equal(frChild.path, '/pages/area/endroit')
    await page(content, { values: { title: 'Zone' }, documentId: top.documentId, locale: 'fr' })
    assert.equal(await pathOf(content, child.documentId, 'fr'), '/pages/zone/endroit')
    assert.equal(await pathOf(content, child.documentId, 'en'), '/pages/area/spot')
    await content.entries.update(
      WRITER,
      content.typeOf('page'),
      { id: child.id },
      { values: {}, parent: null },
    )
    assert.equal(await pathOf(content, child.documentId, 'fr'), '/pages/endroit')
  })

  test('two moves at once never make a loop', async () => {
    const content = await opened
    const type = content.typeOf('page')
    for (let round = 0; round < 4; round++) {
      const one = await page(content, { values: { title: `One ${round}` } })
      const two = await page(content, { values: { title: `Two ${round}` } })
      const move = (id: number, parent: string) =>
        content.entries.update(WRITER, type, { id }, { values: {}, parent })
      const settled = await Promise.allSettled([
        move(one.id, two.documentId),
        move(two.id, one.documentId),
      ])
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1)
    }
  })
})

eachDatabase('a subtree', (kind) => {
  const opened = openLocalized(kind)

  test('of up to 10,000 entries moves with its top, a larger one is refused', async () => {
    const content = await opened
    const { entries, typeOf, db } = content
    const type = typeOf('page')
    const top = await page(content, { values: { title: 'Large' } })
    const row = (n: number) => ({
      ...{ type_no: type.no, id: 100_000 + n, document_id: `d-${n}`, locale: 'en' },
      ...{ created_at: 0, updated_at: 0, published_at: 0, has_live: 1, changed: 0 },
      ...{ parent: top.documentId, sort_order: n, is_root: 0, path: `/pages/large/p-${n}` },
      ...{ ancestors_live: 1, version: 1 },
    })
    for (let at = 0; at < 10_000; at += 500) {
      const rows = Array.from({ length: 500 }, (_, n) => row(at + n))
      await db.main.writer.insertInto('content_entries').values(rows).execute()
    }
    await entries.update(WRITER, type, { id: top.id }, input({ slug: 'huge' }))
    assert.equal(await pathOf(content, 'd-9999'), '/pages/huge/p-9999')
    assert.equal((await registered(content, 'd-9999'))[0]?.version, 2)
    const former = await content.reader
      .selectFrom('content_former_paths')
      .select('path')
      .where('path', '=', '/pages/large/p-9999')
      .execute()
    assert.equal(former.length, 1)
    const last = { ...row(10_000), path: '/pages/huge/p-10000' }
    await db.main.writer.insertInto('content_entries').values(last).execute()
    const error = await refused(
      entries.update(WRITER, type, { id: top.id }, input({ slug: 'vast' })),
    )
    assert.deepEqual([error.kind, error.code], ['unprocessable', 'too_many_descendants'])
    assert.equal(await pathOf(content, 'd-9999'), '/pages/huge/p-9999')
    assert.equal(await pathOf(content, top.documentId), '/pages/huge')
  })
})

eachDatabase('events of products and of clashing names', (kind) => {
  const opened = openLocalized(kind)

  test('are those of the catalogue', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('product')
    const given = { name: 'Mug', sku: 'MUG-1', price: 12.5, stock: 5 }
    const { entry } = await entries.create(WRITER, type, input(given), { status: 'draft' })
    const target = { id: entry.id }
    await entries.publish(WRITER, type, target)
    await entries.adjust(WRITER, type, target, 'stock', { by: -5 })
    await entries.update(WRITER, type, target, input({ stock: 7, is_in_stock: false }))
    await entries.update(WRITER, type, target, input({ stock: 8, name: 'Cup' }))
    await entries.unpublish(WRITER, type, target)
    await entries.adjust(WRITER, type, target, 'stock', { by: 1 })
    await entries.remove(WRITER, type, target)
    await entries.create(WRITER, typeOf('order'), input({ total: 5 }))
    const told = await content.events()
    assert.deepEqual(
      told.map(({ type: name, live }) => [name, live]),
      [
        ['product.created', false],
        ['product.updated', true],
        ['stock.updated', true],
        ['stock.updated', true],
        ['stock.updated', true],
        ['product.updated', true],
        ['product.updated', true],
        ['stock.updated', false],
        ['product.deleted', false],
        ['content_order.created', true],
      ],
    )
    assert.deepEqual(told[2]?.payload, {
      sku: 'MUG-1',
      stock: 0,
      available: false,
      previous_stock: 5,
      live: true,
      // By these the feed of changes names the product.
      id: entry.id,
      document_id: entry.documentId,
      locale: null,
    })
    assert.deepEqual(Object.keys(told[1]?.payload ?? {}), [
      'id',
      'document_id',
      'locale',
      'sku',
      'name',
      'price',
      'status',
      'updated_at',
      'live',
    ])
    assert.deepEqual([told[3]?.payload.available, told[3]?.payload.stock], [false, 7])
    assert.deepEqual(Object.keys(told[9]?.payload ?? {}), [
      'id',
      'document_id',
      'content_type',
      'locale',
      'status',
      'version',
      'updated_at',
      'url',
      'live',
    ])
    assert.equal(told[9]?.payload.locale, null)
  })
})

async function openLocalized(kind: 'sqlite' | 'postgres'): Promise<TestContent> {
  const content = await openContent(kind, BATCH)
  await content.addLocale('fr')
  return content
}

function input(values: Record<string, unknown>): EntryInput {
  return { values }
}

async function page(content: TestContent, given: EntryInput, status?: 'draft') {
  const { entry } = await content.entries.create(WRITER, content.typeOf('page'), given, { status })
  return entry
}

/** Title, color and flags of the copies of an entry. */
async function docs(content: TestContent, id: number) {
  const rows = (await content.rows('page')).filter((row) => row.id === id)
  return rows.map((row) => {
    const { title, color } = JSON.parse(String(row.doc))
    return [title, color, row.live, row.work]
  })
}

async function besides(content: TestContent, copyNo: number) {
  const component = content.model().findComponent('default.seo')
  const tables = { links: 'content_links', tags: 'content_tags', parts: component?.table ?? '' }
  const counts = await Promise.all(
    Object.entries(tables).map(async ([name, table]) => {
      const rows = await content.db.main.reader
        .selectFrom(table)
        .select('owner_copy')
        .where('owner_copy', '=', copyNo)
        .execute()
      return [name, rows.length]
    }),
  )
  return Object.fromEntries(counts)
}

async function registered(content: TestContent, documentId: string) {
  return content.reader
    .selectFrom('content_entries')
    .selectAll()
    .where('document_id', '=', documentId)
    .orderBy('no')
    .execute()
}

async function states(content: TestContent, documentId: string) {
  const rows = await registered(content, documentId)
  return Object.fromEntries(
    rows.map((row) => [row.locale, row.has_live === 1 ? 'published' : 'draft']),
  )
}

async function pathOf(content: TestContent, documentId: string, locale?: string) {
  const rows = await registered(content, documentId)
  return rows.find((row) => locale === undefined || row.locale === locale)?.path
}

async function formerOwner(content: TestContent, path: string) {
  const row = await content.reader
    .selectFrom('content_former_paths as former')
    .innerJoin('content_entries as entry', 'entry.no', 'former.entry_no')
    .select('entry.document_id')
    .where('former.path', '=', path)
    .executeTakeFirst()
  return row?.document_id
}

async function aliveBelow(content: TestContent, pages: readonly { documentId: string }[]) {
  const rows = await Promise.all(pages.map(({ documentId }) => registered(content, documentId)))
  return rows.map(([row]) => row?.ancestors_live)
}

async function refused(promise: Promise<unknown>): Promise<DomainError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DomainError, `expected a refusal, not ${String(error)}`)
  return error
}
