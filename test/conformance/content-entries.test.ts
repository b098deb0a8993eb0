import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '#kernel'
import { eachDatabase } from '#test-kit'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { openContent, type TestContent, WRITER } from './support/content.ts'

const BATCH: BatchBody = {
  components: [
    {
      name: 'seo',
      displayName: 'SEO',
      attributes: {
        title: { type: 'string', required: true, maxLength: 60 },
        keywords: { type: 'tags' },
        image: { type: 'media' },
      },
    },
  ],
  contentTypes: [
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 200 },
        slug: { type: 'uid', targetField: 'title' },
        code: { type: 'string', unique: true },
        rank: { type: 'biginteger' },
        price: { type: 'decimal', min: 1 },
        body: { type: 'richtext' },
        words: { type: 'tags' },
        secret: { type: 'password' },
        hiddenNote: { type: 'string', private: true },
        views: { type: 'integer', unversioned: true, default: 0 },
        seo: { type: 'component', component: 'default.seo' },
        blocks: { type: 'component', component: 'default.seo', repeatable: true, max: 3 },
        data: { type: 'json' },
      },
    },
    {
      singularName: 'note',
      pluralName: 'notes',
      attributes: {
        text: { type: 'text' },
        kind: { type: 'enumeration', enum: ['a', 'b'], default: 'a' },
      },
    },
  ],
}

eachDatabase('an entry', (kind) => {
  const opened = openContent(kind, BATCH)

  test('goes through every state as the table says, with the events of each step', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const step = stepper(content)
    const { entry } = await entries.create(WRITER, type, values({ title: 'One' }), {
      status: 'draft',
    })
    const target = { id: entry.id }
    await step('create a draft', 'draft', [['article.created', false]])
    await entries.update(WRITER, type, target, values({ price: 2 }))
    await step('draft, update', 'draft', [['article.updated', false]])
    await entries.publish(WRITER, type, target)
    await step('draft, publish', 'published', [['article.published', true]])
    await entries.publish(WRITER, type, target)
    await step('published, publish', 'published', [])
    await entries.update(WRITER, type, target, values({ price: 3 }))
    await step('published, update', 'published', [['article.updated', true]])
    await entries.update(WRITER, type, target, values({ price: 4 }), { status: 'draft' })
    await step('published, update as draft', 'changed', [['article.updated', false]])
    assert.deepEqual(await prices(content, entry.id), { live: 3, work: 4 })
    await entries.update(WRITER, type, target, values({ price: 5 }), { status: 'draft' })
    await step('changed, update as draft', 'changed', [['article.updated', false]])
    await entries.discardDraft(WRITER, type, target)
    await step('changed, discard', 'published', [['article.updated', false]])
    assert.deepEqual(await prices(content, entry.id), { live: 3, work: 3 })
    await entries.update(WRITER, type, target, values({ price: 6 }), { status: 'draft' })
    await step('again changed', 'changed', [['article.updated', false]])
    await entries.publish(WRITER, type, target)
    await step('changed, publish', 'published', [['article.published', true]])
    await entries.update(WRITER, type, target, values({ price: 7 }), { status: 'draft' })
    await entries.update(WRITER, type, target, values({ title: 'Two' }))
    await step('changed, update', 'published', [
      ['article.updated', false],
      ['article.updated', true],
      ['article.published', true],
    ])
    assert.deepEqual(await prices(content, entry.id), { live: 7, work: 7 })
    await entries.unpublish(WRITER, type, target)
    await step('published, unpublish', 'draft', [['article.unpublished', true]])
    await entries.update(WRITER, type, target, values({ price: 8 }), { status: 'publish' })
    await step('draft, update and publish', 'published', [
      ['article.updated', true],
      ['article.published', true],
    ])
    await entries.update(WRITER, type, target, values({ price: 9 }), { status: 'draft' })
    await entries.unpublish(WRITER, type, target)
    await step('changed, unpublish', 'draft', [
      ['article.updated', false],
      ['article.unpublished', true],
    ])
    assert.deepEqual(await prices(content, entry.id), { live: undefined, work: 9 })
    const [removed] = await entries.remove(WRITER, type, target)
    assert.equal(removed?.values()['price'], 9)
    await step('delete', undefined, [['article.deleted', false]])
    for (const table of ['content_links', 'content_tags'] as const) {
      assert.deepEqual(await content.reader.selectFrom(table).selectAll().execute(), [])
    }
  })

  test('that does not change makes no version and no event', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const all = {
      title: 'Same',
      code: 'same',
      price: '2.50',
      words: ['b', 'a'],
      body: { value: 'x', format: 'markdown' },
      seo: { title: 'S', keywords: ['k'] },
      blocks: [{ title: 'B' }],
      data: { z: 1, a: [null] },
    }
    const { entry } = await entries.create(WRITER, type, values(all))
    const before = await content.events()
    for (const mode of ['merge', 'replace'] as const) {
      const again = await entries.update(WRITER, type, { id: entry.id }, values(all), { mode })
      assert.equal(again.changed, false, mode)
      assert.equal(again.entry.version, 1)
      assert.equal(again.entry.revisionId, entry.revisionId)
    }
    assert.equal((await content.events()).length, before.length)
    const other = { ...all, data: { a: [null], z: 1 } }
    assert.equal(
      (await entries.update(WRITER, type, { id: entry.id }, values(other))).changed,
      true,
    )
  })

  test('reports every problem with its path and stores nothing', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const count = (await content.rows('article')).length
    const bad = {
      title: 'x'.repeat(201),
      price: 1.234,
      rank: 'many',
      nonsense: 1,
      seo: { keywords: 'k' },
      blocks: [{ title: 'fine' }, { title: 5n }, {}, {}],
      secret: 5,
    }
    const error = await refused(entries.create(WRITER, typeOf('article'), values(bad)))
    assert.equal(error.kind, 'invalid')
    assert.deepEqual(
      error.issues.map(({ path, rule }) => [path.join('.'), rule]),
      [
        ['title', 'maxLength'],
        ['price', 'scale'],
        ['rank', 'type'],
        ['nonsense', 'unknown_field'],
        ['seo.keywords', 'type'],
        ['blocks', 'max'],
        ['blocks.1.title', 'type'],
        ['secret', 'type'],
      ],
    )
    assert.equal((await content.rows('article')).length, count)
    const ignored = { title: 'Ignored', nonsense: 1, seo: { title: 't', more: 2 } }
    await entries.create(WRITER, typeOf('article'), { values: ignored, unknown: 'ignore' })
  })

  test('needs what is required only to be live', async () => {
    const { entries, typeOf } = await opened
    const type = typeOf('article')
    const lacking = { price: 0.5, seo: {}, blocks: [{ title: 'a' }, {}] }
    const error = await refused(entries.create(WRITER, type, values(lacking)))
    const expected = [
      ['title', 'required'],
      ['price', 'min'],
      ['seo.title', 'required'],
      ['blocks.1.title', 'required'],
    ]
    assert.equal(error.kind, 'invalid')
    assert.deepEqual(pathsOf(error), expected)
    const { entry } = await entries.create(WRITER, type, values(lacking), { status: 'draft' })
    const held = await refused(entries.publish(WRITER, type, { id: entry.id }))
    assert.deepEqual([held.kind, held.code], ['unprocessable', 'not_publishable'])
    assert.deepEqual(pathsOf(held), expected)
    const cleared = await entries.create(WRITER, type, values({ title: 'T' }))
    const both = await refused(
      entries.update(WRITER, type, { id: cleared.entry.id }, values({ title: null })),
    )
    assert.deepEqual([both.kind, pathsOf(both)], ['invalid', [['title', 'required']]])
  })

  test('keeps what it is given and shows it in declared order', async () => {
    const { entries, typeOf, rows } = await opened
    const given = {
      data: { b: 1, a: 2 },
      title: 'Kept',
      rank: '9223372036854775807',
      price: 12.5,
      body: { value: '# x', format: 'markdown' },
      words: ['b', 'a', 'b'],
      secret: 'correct horse',
      hiddenNote: 'hush',
    }
    const { entry } = await entries.create(WRITER, typeOf('article'), values(given))
    assert.equal(
      entry.json,
      '{"title":"Kept","slug":"kept","code":null,"rank":"9223372036854775807","price":12.5,' +
        '"body":"# x","words":["b","a"],"views":0,"data":{"b":1,"a":2}}',
    )
    assert.deepEqual({ ...entry.formats }, { body: 'markdown' })
    const again = await entries.update(
      WRITER,
      typeOf('article'),
      { id: entry.id },
      values({ price: 13 }),
    )
    assert.equal(again.entry.values()['rank'], '9223372036854775807')
    assert.equal(again.entry.version, 2)
    assert.match(entry.documentId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    const stored = JSON.stringify(await rows('note'))
    assert.ok(!stored.includes('correct horse'))
  })

  test('a full update resets what it does not name, a merge keeps it', async () => {
    const { entries, typeOf } = await opened
    const note = typeOf('note')
    const { entry } = await entries.create(WRITER, note, values({ text: 'x', kind: 'b' }))
    const merged = await entries.update(WRITER, note, { id: entry.id }, values({ text: 'y' }))
    assert.deepEqual(merged.entry.values(), { text: 'y', kind: 'b' })
    const put = await entries.update(WRITER, note, { id: entry.id }, values({}), {
      mode: 'replace',
    })
    assert.deepEqual(put.entry.values(), { text: null, kind: 'a' })
    const cleared = await entries.update(WRITER, note, { id: entry.id }, values({ kind: null }))
    assert.deepEqual(cleared.entry.values(), { text: null, kind: null })
  })

  test('of another version than the caller has seen is not written', async () => {
    const { entries, typeOf } = await opened
    const note = typeOf('note')
    const { entry } = await entries.create(WRITER, note, values({ text: 'x' }))
    const writes = ['a', 'b', 'c', 'd'].map((text) =>
      entries.update(WRITER, note, { id: entry.id }, values({ text }), { ifVersion: 1 }),
    )
    const settled = await Promise.allSettled(writes)
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const each of settled) {
      if (each.status === 'rejected') assert.equal(each.reason.kind, 'stale')
    }
    const missing = await refused(entries.update(WRITER, note, { id: 99_999 }, values({})))
    assert.equal(missing.kind, 'not_found')
  })

  test('ids of types start at 1 each and are never given again', async () => {
    const { entries, typeOf } = await openContent(kind, BATCH)
    const first = await entries.create(WRITER, typeOf('article'), values({ title: 'A' }))
    const other = await entries.create(WRITER, typeOf('note'), values({}))
    assert.deepEqual([first.entry.id, other.entry.id], [1, 1])
    await entries.remove(WRITER, typeOf('note'), { id: 1 })
    assert.equal((await entries.create(WRITER, typeOf('note'), values({}))).entry.id, 2)
  })

  test('components keep their ids, merge by them, and unknown ones are refused', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const table = content.model().findComponent('default.seo')?.table ?? ''
    const parts = (copyNo: number) =>
      content.db.main.reader
        .selectFrom(table)
        .select(['part_id', 'position', 'doc'])
        .where('owner_copy', '=', copyNo)
        .orderBy('attribute_no')
        .orderBy('position')
        .execute()
    const blocks = [{ title: 'a', keywords: ['x'] }, { title: 'b' }]
    const { entry } = await entries.create(WRITER, type, values({ title: 'Parts', blocks }))
    const [one, two] = await parts(entry.copyNo)
    const reordered = [
      { id: two?.['part_id'] },
      { title: 'new' },
      { id: one?.['part_id'], title: 'A' },
    ]
    const draft = await entries.update(
      WRITER,
      type,
      { id: entry.id },
      values({ blocks: reordered }),
      {
        status: 'draft',
      },
    )
    const written = await parts(draft.entry.copyNo)
    assert.deepEqual(
      written.map((row) => JSON.parse(String(row['doc']))),
      [
        { title: 'b', keywords: null },
        { title: 'new', keywords: null },
        { title: 'A', keywords: ['x'] },
      ],
    )
    assert.deepEqual(
      [written[0]?.['part_id'], written[2]?.['part_id']],
      [two?.['part_id'], one?.['part_id']],
    )
    assert.deepEqual(await parts(entry.copyNo), [one, two])
    const unknown = await refused(
      entries.update(
        WRITER,
        type,
        { id: entry.id },
        values({ blocks: [{ id: 99_999, title: 'x' }] }),
      ),
    )
    assert.deepEqual(
      [unknown.code, unknown.issues[0]?.path],
      ['invalid_reference', ['blocks', 0, 'id']],
    )
  })

  test('unversioned values change at once in both copies and publish nothing', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const { entry } = await entries.create(WRITER, type, values({ title: 'Views' }))
    const target = { id: entry.id }
    await entries.update(WRITER, type, target, values({ title: 'Draft' }), { status: 'draft' })
    const draft = await entries.update(WRITER, type, target, values({ views: 5 }), {
      status: 'draft',
    })
    assert.equal(draft.entry.status, 'changed')
    const plain = await entries.update(WRITER, type, target, values({ views: 6 }))
    assert.equal(plain.entry.status, 'changed')
    assert.equal(plain.entry.version, 4)
    const docs = (await content.rows('article'))
      .filter((row) => row['id'] === entry.id)
      .map((row) => JSON.parse(String(row['doc'])))
    assert.deepEqual(
      docs.map(({ title, views }) => [title, views]),
      [
        ['Views', 6],
        ['Draft', 6],
      ],
    )
    const put = await entries.update(WRITER, type, target, values({ title: 'Put' }), {
      mode: 'replace',
    })
    assert.equal(put.entry.values()['views'], 6)
  })

  test('adjusted by fifty callers at once ends at the sum, and not below its floor', async () => {
    const { entries, typeOf } = await opened
    const type = typeOf('article')
    const kept = { title: 'Count', words: ['w'], seo: { title: 's', keywords: ['k'] } }
    const { entry } = await entries.create(WRITER, type, values({ ...kept, views: 30 }))
    const target = { id: entry.id }
    const calls = Array.from({ length: 50 }, () =>
      entries.adjust(WRITER, type, target, 'views', { by: -1, floor: 0 }),
    )
    const settled = await Promise.allSettled(calls)
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 30)
    for (const each of settled)
      if (each.status === 'rejected') assert.equal(each.reason.kind, 'invalid')
    const last = await entries.adjust(WRITER, type, target, 'views', { to: 7 })
    assert.equal(last.entry.values()['views'], 7)
    assert.equal(last.entry.version, 32)
    assert.equal((await entries.update(WRITER, type, target, values(kept))).changed, false)
    const bad = await refused(entries.adjust(WRITER, type, target, 'price', { by: 1 }))
    assert.equal(bad.kind, 'invalid')
  })

  test('jsonapi 22: a new value amid fifty decrements loses none of them', async () => {
    const { entries, typeOf } = await opened
    const type = typeOf('article')
    const { entry } = await entries.create(WRITER, type, values({ title: 'Rush', views: 500 }))
    const target = { id: entry.id }
    const less = () => entries.adjust(WRITER, type, target, 'views', { by: -1, floor: 0 })
    const calls = Array.from({ length: 25 }, less)
    const set = entries.update(WRITER, type, target, values({ views: 1_000 }), { status: 'keep' })
    calls.push(...Array.from({ length: 25 }, less))
    const results = await Promise.all(calls)
    await set
    const left = results.map((each) => Number(each.entry.values()['views']))
    const after = left.filter((views) => views > 500).sort((a, b) => b - a)
    const before = left.filter((views) => views < 500).sort((a, b) => b - a)
    assert.deepEqual(
      before,
      Array.from(before, (_, n) => 499 - n),
    )
    assert.deepEqual(
      after,
      Array.from(after, (_, n) => 999 - n),
    )
    assert.equal(before.length + after.length, 50)
    const { entry: end } = await entries.adjust(WRITER, type, target, 'views', { by: 0 })
    assert.equal(end.values()['views'], 1_000 - after.length)
  })

  test('unique values and external ids are given once, also to writers at the same time', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const settled = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        entries.create(WRITER, type, { values: { title: `U${n}`, code: 'only' }, externalId: 'e' }),
      ),
    )
    const failed = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.equal(failed.length, 11)
    for (const error of failed) {
      assert.deepEqual([error.kind, error.code], ['conflict', 'conflict'])
      assert.match(String(error.issues[0]?.path), /^(code|externalId)$/)
    }
    const external = await refused(
      entries.create(WRITER, type, { values: { title: 'V' }, externalId: 'e' }),
    )
    assert.deepEqual([external.code, external.issues[0]?.path], ['conflict', ['externalId']])
    const draft = await entries.create(WRITER, type, values({ title: 'D', code: 'mine' }))
    await entries.update(WRITER, type, { id: draft.entry.id }, values({ code: 'other' }), {
      status: 'draft',
    })
    const held = await refused(entries.create(WRITER, type, values({ title: 'E', code: 'mine' })))
    assert.deepEqual(held.issues[0]?.path, ['code'])
  })

  test('uids are made from titles, unique among many writers, never empty', async () => {
    const { entries, typeOf } = await opened
    const type = typeOf('article')
    const made = await Promise.all(
      Array.from({ length: 12 }, () =>
        entries.create(WRITER, type, values({ title: 'Été à Paris' })),
      ),
    )
    const slugs = made.map(({ entry }) => String(entry.values()['slug'])).toSorted()
    assert.deepEqual(
      slugs,
      ['', ...Array.from({ length: 11 }, (_, n) => `-${n + 2}`)]
        .map((end) => `ete-a-paris${end}`)
        .toSorted(),
    )
    const titles = ['東京', '!!!', '???', 'Привет']
    for (const title of titles) {
      const { entry } = await entries.create(WRITER, type, values({ title }))
      assert.match(String(entry.values()['slug']), /^[a-z0-9]+(-[a-z0-9]+)*$/, title)
    }
    const first = made[0]?.entry
    const emptied = await entries.update(WRITER, type, { id: first?.id ?? 0 }, values({ slug: '' }))
    assert.equal(emptied.changed, false)
    const bad = await refused(entries.create(WRITER, type, values({ title: 'x', slug: 'a b' })))
    assert.deepEqual(bad.issues[0]?.path, ['slug'])
  })

  test('upsert finds by external id or unique attribute, merges, and repeats without a trace', async () => {
    const content = await opened
    const { entries, typeOf } = content
    const type = typeOf('article')
    const input = { values: { title: 'Up' }, externalId: 'site-17' }
    const first = await entries.upsert(WRITER, type, 'external_id', input)
    const events = (await content.events()).length
    const again = await entries.upsert(WRITER, type, 'external_id', input)
    assert.deepEqual([first.created, again.created, again.changed], [true, false, false])
    assert.equal((await content.events()).length, events)
    const merged = await entries.upsert(WRITER, type, 'external_id', {
      values: { price: 3 },
      externalId: 'site-17',
    })
    assert.deepEqual([merged.entry.id, merged.entry.values()['title']], [first.entry.id, 'Up'])
    const many = await Promise.all(
      Array.from({ length: 8 }, () =>
        entries.upsert(WRITER, type, 'code', values({ title: 'Many', code: 'many' })),
      ),
    )
    assert.equal(many.filter(({ created }) => created).length, 1)
    assert.equal(new Set(many.map(({ entry }) => entry.id)).size, 1)
    const bad = await refused(entries.upsert(WRITER, type, 'title', input))
    assert.equal(bad.kind, 'invalid')
  })

  test('joins a transaction, and is undone with it', async () => {
    const content = await opened
    const { entries, typeOf, db } = content
    const before = (await content.events()).length
    const failed = db.main.transaction(undefined, async (tx) => {
      await entries.create(WRITER, typeOf('note'), values({ text: 'gone' }), { tx })
      const refusedOne = tx.savepoint(() =>
        entries.create(WRITER, typeOf('article'), values({ title: 'x', code: 'only' }), { tx }),
      )
      await assert.rejects(refusedOne, { code: 'conflict' })
      const { entry } = await entries.create(WRITER, typeOf('note'), values({ text: 'too' }), {
        tx,
      })
      await entries.update(WRITER, typeOf('note'), { id: entry.id }, values({ text: 'u' }), { tx })
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    assert.equal((await content.events()).length, before)
    assert.ok(!JSON.stringify(await content.rows('note')).includes('gone'))
  })
})

/** Checks state and new events after each step of one entry, the newest of its type. */
function stepper(content: TestContent) {
  let told = 0
  return async (name: string, status: string | undefined, expected: [string, boolean][]) => {
    const events = await content.events(told)
    told = events.at(-1)?.ord ?? told
    assert.deepEqual(
      events.map(({ type, live }) => [type, live]),
      expected,
      name,
    )
    for (const { payload, live } of events) {
      assert.equal(payload.live, live)
      assert.equal(payload.content_type, 'article')
      assert.equal(payload.url, `https://api.example/api/v1/articles/${payload.id}`)
    }
    const row = await content.reader
      .selectFrom('content_entries')
      .selectAll()
      .where('type_no', '=', content.typeOf('article').no)
      .orderBy('no', 'desc')
      .executeTakeFirst()
    const state =
      row && (row.has_live === 0 ? 'draft' : row.changed === 1 ? 'changed' : 'published')
    assert.equal(state, status, name)
    assert.equal(row?.published_at === null, status === 'draft', name)
    if (events.length > 0 && row) assert.equal(events.at(-1)?.payload.version, row.version, name)
  }
}

async function prices(content: TestContent, id: number) {
  const rows = (await content.rows('article')).filter((row) => row['id'] === id)
  const price = (flag: 'live' | 'work') => {
    const row = rows.find((each) => each[flag] === 1)
    return row && JSON.parse(String(row['doc'])).price
  }
  return { live: price('live'), work: price('work') }
}

function values(given: Record<string, unknown>) {
  return { values: given }
}

async function refused(promise: Promise<unknown>): Promise<DomainError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DomainError, `expected a refusal, not ${String(error)}`)
  return error
}

function pathsOf({ issues }: DomainError) {
  return issues.map(({ path, rule }) => [path.join('.'), rule])
}
