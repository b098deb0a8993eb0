import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, TreeView } from '#content'
import type { ContentType } from '#content-model'
import type { Filter, LocaleChoice, TreeSpot } from '#content-query'
import { eachDatabase } from '#test-kit'
import { createFind } from '../../src/content/query/find.ts'
import { firstPage } from '../../src/content/query/walk.ts'
import { createContentTree } from '../../src/content/tree/tree.ts'
import type { BatchBody } from '../../src/content/types/schemas.ts'
import { openContent, WRITER } from './support/content.ts'

const NAMED = { title: { type: 'string' }, slug: { type: 'uid', targetField: 'title' } }
const BATCH: BatchBody = {
  contentTypes: [
    {
      ...{ singularName: 'page', pluralName: 'pages', attributes: NAMED },
      ...{ draftAndPublish: true, localized: true },
    },
    { singularName: 'note', pluralName: 'notes', attributes: NAMED },
    {
      ...{ singularName: 'about', pluralName: 'abouts', kind: 'singleType' },
      attributes: { title: { type: 'string' } },
    },
  ],
}

eachDatabase('the tree of entries', (kind) => {
  const opened = open(kind)

  test('start items are the root entries, then the collections by creation', async () => {
    const { tree, view, home, typeOf } = await opened
    assert.deepEqual(
      (await tree.startItems(view())).map(({ kind, id, path }) => ({ kind, id, path })),
      [
        { kind: 'root', id: home.documentId, path: '' },
        { kind: 'collection', id: typeOf('page').uuid, path: 'pages' },
        { kind: 'collection', id: typeOf('note').uuid, path: 'notes' },
        { kind: 'collection', id: typeOf('about').uuid, path: 'abouts' },
      ],
    )
    const withoutPages = view({ exists: ({ singularName }) => singularName !== 'page' })
    assert.deepEqual(
      (await tree.startItems(withoutPages)).map(({ path }) => path),
      ['notes', 'abouts'],
    )
  })

  test('routes begin at the start item, whatever the types on the way are', async () => {
    const { tree, home, guides, steps, leaf, news, about, typeOf } = await opened
    const entries = [home, guides, steps, leaf, news, about]
    const routeOf = await tree.routesOf(entries)
    const root = { id: home.documentId, path: '' }
    const pages = { id: typeOf('page').uuid, path: 'pages' }
    assert.deepEqual(entries.map(routeOf), [
      { path: '/', startItem: root },
      { path: '/guides/', startItem: pages },
      { path: '/guides/first-steps/', startItem: pages },
      { path: '/guides/first-steps/leaf/', startItem: pages },
      { path: '/news/', startItem: root },
      { path: '/about/', startItem: { id: typeOf('about').uuid, path: 'abouts' } },
    ])
  })

  test('every live language has its route', async () => {
    const { tree, guides, leaf, news, typeOf } = await opened
    const culturesOf = await tree.culturesOf([guides, leaf, news])
    const startItem = { id: typeOf('page').uuid, path: 'pages' }
    assert.deepEqual(Object.fromEntries(culturesOf(guides)), {
      en: { path: '/guides/', startItem },
      fr: { path: '/conseils/', startItem },
    })
    assert.deepEqual(culturesOf(leaf).size, 0)
    assert.deepEqual([...culturesOf(news).keys()], ['en'])
  })

  test('a path is found below each start item in turn, and by the name of one', async () => {
    const { tree, view, guides, steps, leaf, news, about, home } = await opened
    const at = async (path: string, start?: Parameters<typeof tree.resolvePath>[2]) =>
      (await tree.resolvePath(view(), path, start))?.documentId
    for (const path of [
      'guides/first-steps',
      '/Guides//FIRST-steps/',
      'pages/guides/first-steps',
    ]) {
      assert.equal(await at(path), steps.documentId, path)
    }
    assert.equal(await at('guides'), guides.documentId)
    assert.equal(await at('guides/first-steps/leaf'), leaf.documentId)
    assert.equal(await at('news'), news.documentId)
    assert.equal(await at('about'), about.documentId)
    assert.equal(await at('/'), home.documentId)
    for (const path of ['pages', 'first-steps', 'pages/news', 'notes/leaf', 'nowhere']) {
      assert.equal(await at(path), undefined, path)
    }
    const [root, pages] = await tree.startItems(view())
    assert.equal(await at('news', root), news.documentId)
    assert.equal(await at('news', pages), undefined)
    assert.equal(await at('guides', pages), guides.documentId)
    assert.equal(await at('pages/guides', pages), undefined)
    assert.equal(await at('', pages), undefined)
  })

  test('a step in another script leads to the slug that was made from it', async () => {
    const { tree, view, entries, typeOf } = await opened
    const title = 'Первые шаги'
    const { entry } = await entries.create(WRITER, typeOf('note'), { values: { title } })
    assert.equal((await tree.resolvePath(view(), `/${title}/`))?.documentId, entry.documentId)
    assert.equal(
      (await tree.resolvePath(view(), 'ПЕРВЫЕ-ШАГИ'.normalize('NFD')))?.documentId,
      entry.documentId,
    )
  })

  test('only what the view shows is found: languages, drafts, types', async () => {
    const { tree, view, guides, draft, below, typeOf } = await opened
    const fr: LocaleChoice = { kind: 'one', code: 'fr', fallback: [] }
    const xx: LocaleChoice = { kind: 'one', code: 'xx', fallback: [] }
    const found = async (path: string, more: Partial<TreeView>) =>
      (await tree.resolvePath(view(more), path))?.documentId
    assert.equal(await found('conseils', { locale: fr }), guides.documentId)
    assert.equal(await found('conseils', {}), undefined)
    assert.equal(await found('guides', { locale: fr }), undefined)
    assert.equal(await found('guides', { locale: xx }), undefined)
    assert.equal((await found('guides/first-steps/leaf', { locale: xx })) !== undefined, true)
    for (const [path, entry] of [
      ['hidden', draft],
      ['hidden/below', below],
    ] as const) {
      assert.equal(await found(path, {}), undefined, path)
      assert.equal(await found(path, { state: 'working' }), entry.documentId, path)
    }
    const noPages = { exists: (type: ContentType) => type.singularName !== 'page' }
    assert.equal(await found('guides', noPages), undefined)
    const ids = [guides, draft, below].map(({ documentId }) => documentId)
    const placed = await tree.findDocuments(view(), [...ids, ...ids, 'nobody'])
    assert.deepEqual([...placed.keys()], [guides.documentId])
    assert.equal(placed.get(guides.documentId)?.type, typeOf('page'))
    assert.equal((await tree.findDocuments(view({ state: 'working' }), ids)).size, 3)
  })

  test('content-model 8: former paths lead to entries that moved, and to what moved with them', async () => {
    const { tree, view, entries, typeOf } = await opened
    const page = typeOf('page')
    const create = async (title: string, parent?: Entry) =>
      (
        await entries.create(WRITER, page, {
          values: { title },
          parent: parent?.documentId ?? null,
        })
      ).entry
    const old = await create('Old place')
    const child = await create('Child', old)
    const other = await create('Other place')
    await entries.update(WRITER, page, { id: old.id }, { values: { slug: 'new-place' } })
    await assertFound('old-place', old, '/new-place/')
    await assertFound('pages/old-place/child', child, '/new-place/child/')
    await entries.update(WRITER, page, { id: old.id }, { values: {}, parent: other.documentId })
    await assertFound('new-place', old, '/other-place/new-place/')
    await assertFound('old-place/child', child, '/other-place/new-place/child/')
    const taken = await create('Old place')
    const now = await tree.resolvePath(view(), 'old-place')
    assert.deepEqual([now?.documentId, now?.isFormer], [taken.documentId, false])
    await entries.unpublish(WRITER, page, { id: old.id })
    assert.equal(await tree.resolvePath(view(), 'new-place'), undefined)
    await assert.rejects(
      entries.update(WRITER, page, { id: other.id }, { values: {}, parent: child.documentId }),
      { code: 'invalid_reference' },
    )

    async function assertFound(path: string, entry: Entry, now: string) {
      const found = await tree.resolvePath(view(), path)
      assert.deepEqual(
        [found?.documentId, found?.isFormer, found?.route.path],
        [entry.documentId, true, now],
        path,
      )
    }
  })

  test('lists show children, descendants and ancestors, of entries and of collections', async () => {
    const { home, guides, steps, leaf, news, listed, typeOf } = await opened
    const of = (entry: Entry): TreeSpot => ({ documentId: entry.documentId })
    const axis = (name: 'children' | 'descendants' | 'ancestors', spot: TreeSpot) =>
      listed({ kind: 'placed', axis: name, of: spot })
    assert.deepEqual(await axis('children', of(guides)), [steps.documentId])
    assert.deepEqual(await axis('descendants', of(guides)), [steps.documentId, leaf.documentId])
    assert.deepEqual(await axis('ancestors', of(leaf)), [guides.documentId, steps.documentId])
    assert.deepEqual(await axis('children', of(home)), [news.documentId])
    assert.deepEqual(await axis('ancestors', { collection: typeOf('page') }), [])
    const pages = { collection: typeOf('page') }
    const children = await axis('children', pages)
    assert.ok(children.includes(guides.documentId))
    for (const other of [home, news, steps, leaf]) assert.ok(!children.includes(other.documentId))
    const descendants = await axis('descendants', pages)
    for (const each of [guides, steps, leaf]) assert.ok(descendants.includes(each.documentId))
    for (const other of [home, news]) assert.ok(!descendants.includes(other.documentId))
    const notBelow = await listed({
      kind: 'not',
      of: { kind: 'placed', axis: 'descendants', of: pages },
    })
    assert.ok(notBelow.includes(news.documentId) && !notBelow.includes(leaf.documentId))
    assert.ok(
      !(await axis('descendants', { collection: typeOf('note') })).includes(leaf.documentId),
    )
  })

  test('whole words are found without regard to case, parts of words are not', async () => {
    const { entries, listed, typeOf } = await opened
    const title = 'Élan vital: (red) «Blue»'
    const { entry } = await entries.create(WRITER, typeOf('note'), { values: { title } })
    for (const [text, isFound] of [
      ['élan', true],
      ['RED', true],
      ['blue élan', true],
      ['vital,red!', true],
      ['ital', false],
      ['blue green', false],
      ['.', false],
    ] as const) {
      const filter = {
        kind: 'compare',
        field: 'title',
        operator: 'word',
        fold: true,
        values: [text],
      } as const
      assert.deepEqual(await listed(filter), isFound ? [entry.documentId] : [], text)
      const others = await listed({ kind: 'not', of: filter })
      assert.equal(others.includes(entry.documentId), !isFound, text)
    }
  })
})

async function open(kind: Parameters<typeof openContent>[0]) {
  const content = await openContent(kind, BATCH)
  await content.addLocale('fr')
  const { entries, typeOf, db, model } = content
  const home = await create('page', { title: 'Home' }, { isRoot: true })
  const guides = await create('page', { title: 'Guides' })
  const { documentId } = guides
  await create('page', { title: 'Conseils' }, { documentId, locale: 'fr' })
  const steps = await create('page', { title: 'First steps' }, { parent: documentId })
  const leaf = await create('note', { title: 'Leaf' }, { parent: steps.documentId })
  const news = await create('page', { title: 'News' }, { parent: home.documentId })
  const about = await create('about', { title: 'About' })
  const draft = await create('page', { title: 'Hidden' }, {}, 'draft')
  const below = await create('page', { title: 'Below' }, { parent: draft.documentId })
  const { entryTemplates, readEntries } = createFind({ db, model, countPlan() {} })
  const prepare = entryTemplates()
  const tree = createContentTree({ db, model })
  const placed = { home, guides, steps, leaf, news, about, draft, below }
  return { ...content, ...placed, tree, view, listed }

  async function create(
    name: string,
    values: Record<string, string>,
    more: object = {},
    status: 'draft' | 'published' = 'published',
  ): Promise<Entry> {
    return (await entries.create(WRITER, typeOf(name), { values, ...more }, { status })).entry
  }

  function view(more: Partial<TreeView> = {}): TreeView {
    return { state: 'live', locale: { kind: 'default' }, exists: () => true, ...more }
  }

  /** The documents of a list by creation. */
  async function listed(filter: Filter): Promise<string[]> {
    const types = ['page', 'note', 'about'].map((name) => ({ type: typeOf(name), include: [] }))
    const page = { search: '', sort: [], page: firstPage(100) }
    const locale = { kind: 'default' } as const
    const query = { types, state: 'live', locale, filter, ...page } as const
    const asked = { model: model(), template: JSON.stringify(filter), values: [] }
    const found = await readEntries(
      prepare({ level: 'read' }, { ...asked, read: () => ({ query }) }),
    )
    return found.entries.map((entry) => entry.documentId)
  }
}
