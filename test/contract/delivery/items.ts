import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_KEY, CONTENT, deliverySuite, type Item, MEDIA } from './support.ts'

const MEMBERS = [
  ...['contentType', 'name', 'createDate', 'updateDate', 'route', 'id', 'properties', 'cultures'],
]

export const items = deliverySuite('content delivery: items', (delivery) => {
  const { server, call, data, get, ok, ids, refused, create, upload, settings, raw } = delivery
  const at = { ada: '', first: '', draft: '', gone: '', vault: '', root: '', guide: '', steps: '' }
  const files = { cover: '', secret: '' }

  before(async () => {
    const cover = await upload('Harbour.png', { alternative_text: 'Boats', folder: '/Photos' })
    const secret = await upload('secret.png')
    Object.assign(files, { cover: cover.uuid, secret: secret.uuid })
    const ada = await create('authors', { name: 'Ada', bio: 'Counts' })
    const vault = await create('vaults', { name: 'Gold', file: secret.id })
    const first = await create('articles', {
      ...{ title: 'First steps', summary: 'Short', rating: 4.5, featured: true, votes: 3 },
      ...{ author: ada.id, cover: cover.id, vault: vault.id, secret: 'x', words: ['a', 'b'] },
      ...{ day: '2026-03-01', releasedAt: '2026-03-01T09:30:00Z', facts: { a: [1] } },
      serial: '9007199254740993',
      home: { url: 'https://example.org/x?y=1', title: 'Home' },
      quotes: [{ text: 'One', speaker: ada.id }, { text: 'Two' }],
    })
    const draft = await create('articles', { title: 'Draft steps', status: 'draft' })
    const gone = await create('articles', { title: 'Gone steps' })
    Object.assign(at, { ada: ada.document_id, vault: vault.document_id, first: first.document_id })
    Object.assign(at, { draft: draft.document_id, gone: gone.document_id })
    await data('DELETE', `/api/v1/articles/${gone.id}`)
    const root = await create('pages', { title: 'Home', is_root: true, locale: 'en' })
    const guide = await create('pages', { title: 'Guides', tree_parent_id: root.document_id })
    const steps = await create('articles', { title: 'Steps', tree_parent_id: guide.document_id })
    Object.assign(at, {
      root: root.document_id,
      guide: guide.document_id,
      steps: steps.document_id,
    })
  })

  test('delivery 1: lists have total and items and go on page by page', async () => {
    for (let n = 0; n < 25; n++) await create('notes', { name: `Note ${n}`, weight: n % 3 })
    const notes = `${CONTENT}?filter=contentType:note&`
    const { total, items } = await ok(notes)
    assert.deepEqual([total, items.length], [25, 10])
    const pages: string[] = []
    for (let skip = 0; skip < 27; skip += 3) {
      const page = await ok(`${notes}take=3&skip=${skip}`)
      assert.equal(page.total, 25)
      pages.push(...page.items.map(({ id }: Item) => id))
    }
    assert.equal(new Set(pages).size, 25)
    assert.deepEqual(pages, await ids('filter=contentType:note'))
    assert.deepEqual(
      pages.slice(0, 10),
      items.map(({ id }: Item) => id),
    )
    assert.deepEqual(await ok(`${notes}take=0`), { total: 25, items: [] })
    assert.deepEqual(await ok(`${notes}skip=25`), { total: 25, items: [] })
    assert.deepEqual(await ok(`${notes}TAKE=1&unknown=1`).then(({ items: one }) => one.length), 1)
  })

  test('delivery 2: an item has its eight members, however it is asked for', async () => {
    const item = await ok(`${CONTENT}/item/${at.first}`)
    assert.deepEqual(Object.keys(item), MEMBERS)
    assert.equal(item.contentType, 'article')
    assert.equal(item.name, 'First steps')
    assert.equal(item.id, at.first)
    assert.match(item.createDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
    assert.match(item.updateDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
    const types = await data('GET', '/api/v1/content-types/article')
    const start = { id: types.uuid, path: 'articles' }
    assert.deepEqual(item.route, { path: '/first-steps/', startItem: start })
    assert.deepEqual(item.cultures, {})
    const { properties } = item
    assert.equal(properties.summary, 'Short')
    assert.equal(properties.rating, 4.5)
    assert.equal(properties.featured, true)
    assert.deepEqual(properties.words, ['a', 'b'])
    assert.equal(properties.day, '2026-03-01')
    assert.equal(properties.releasedAt, '2026-03-01T09:30:00.000Z')
    assert.deepEqual(properties.facts, { a: [1] })
    assert.deepEqual(properties.body, { markup: '', blocks: [] })
    assert.deepEqual(properties.gallery, [])
    assert.deepEqual(properties.related, [])
    assert.equal(properties.lead, null)
    for (const absent of ['title', 'slug', 'secret']) assert.ok(!(absent in properties), absent)
    const forms = [
      at.first.toUpperCase(),
      at.first.replaceAll('-', ''),
      `${at.first}/`,
      'first-steps',
      'first-steps/',
      'First-Steps',
      '/first-steps',
      '/first-steps//',
      'articles/first-steps',
      'articles%2Ffirst-steps',
      '%2Farticles%2Ffirst%2Dsteps%2F',
    ]
    for (const form of forms) {
      const { status, body } = await raw(`${CONTENT}/item/${form}`)
      assert.equal(status, 200, `${form}: ${body}`)
      assert.deepEqual(JSON.parse(body), item, form)
    }
    const head = await call('HEAD', `${CONTENT}/item/${at.first}`, { key: null })
    assert.equal(head.status, 200)
    // Digits of any length are exact.
    assert.match((await raw(`${CONTENT}/item/${at.first}`)).body, /"serial":9007199254740993,/)
  })

  test('delivery 2: paths follow the tree, and those of other scripts are found', async () => {
    const steps = await ok(`${CONTENT}/item/guides/steps`)
    assert.equal(steps.id, at.steps)
    assert.deepEqual(steps.route, { path: '/guides/steps/', startItem: { id: at.root, path: '' } })
    const root = await ok(`${CONTENT}/item/`)
    assert.equal(root.id, at.root)
    assert.equal(root.route.path, '/')
    for (const form of ['', '//', '/%2F']) {
      assert.equal(JSON.parse((await raw(`${CONTENT}/item${form}`)).body).id, at.root, form)
    }
    const greek = await create('articles', { title: 'Δρόμος στο λιμάνι' })
    const decomposed = encodeURIComponent('Δρόμος-στο-λιμάνι'.normalize('NFD'))
    for (const form of [greek.slug, encodeURIComponent('Δρόμος-στο-λιμάνι'), decomposed]) {
      const found = await ok(`${CONTENT}/item/${form}`)
      assert.deepEqual([found.id, found.route.path], [greek.document_id, `/${greek.slug}/`])
    }
    await refused(404, `${CONTENT}/item/steps`, { 'start-item': at.guide })
    const under = { 'start-item': 'articles' }
    assert.equal((await ok(`${CONTENT}/item/first-steps`, under)).id, at.first)
    await refused(404, `${CONTENT}/item/guides`, under)
    const unknown = await refused(404, `${CONTENT}/item/x`, { 'start-item': 'nowhere' })
    assert.equal(unknown.detail, 'The Start-Item could not be found')
    await refused(404, `${CONTENT}`, { 'start-item': 'nowhere' })
  })

  test('the tree is fetched by selector and start item', async () => {
    const fetch = (text: string, headers = {}) => ids(`fetch=${text}`, headers)
    assert.deepEqual(await fetch('children:/'), [at.guide])
    assert.deepEqual(await fetch('descendants:/'), [at.guide, at.steps])
    assert.deepEqual(await fetch(`children:${at.guide}`), [at.steps])
    assert.deepEqual(await fetch('children:guides'), [at.steps])
    assert.deepEqual(await fetch(`ancestors:${at.steps}`), [at.root, at.guide])
    const authors = (await data('GET', '/api/v1/content-types/author')).uuid
    assert.deepEqual(await fetch(`children:${authors}`), [at.ada])
    assert.deepEqual(await fetch('descendants:authors'), [at.ada])
    assert.deepEqual(await fetch('children:/', { 'start-item': 'authors' }), [at.ada])
    assert.deepEqual(await ids('', { 'start-item': 'authors' }), [at.ada])
    assert.deepEqual(await ids('', { 'start-item': at.root }), [at.guide, at.steps])
    assert.deepEqual(await ok(`${CONTENT}?fetch=children:nowhere`), { total: 0, items: [] })
    for (const text of ['children', 'parents:/', 'children:/&fetch=children:/']) {
      const { title, param } = await refused(400, `${CONTENT}?fetch=${text}`)
      assert.deepEqual([title, param], ['Selector option not found', 'fetch'])
    }
    const levels = await ok(`${CONTENT}?sort=level:asc,name:asc&take=3&filter=contentType:page`)
    assert.deepEqual(
      levels.items.map(({ name }: Item) => name),
      ['Home', 'Guides'],
    )
  })

  test('delivery 3: several items come as a plain list, in the order asked', async () => {
    const query = `id=${at.ada}&id=junk&id=${at.first.toUpperCase()}&id=${at.draft}`
    for (const path of ['items', 'item']) {
      const list = await ok(`${CONTENT}/${path}?${query}`)
      assert.deepEqual(
        list.map(({ id }: Item) => id),
        [at.ada, at.first],
      )
    }
    assert.deepEqual(await ok(`${CONTENT}/items`), [])
    const many = Array.from({ length: 201 }, () => `id=${'0'.repeat(4)}`).join('&')
    await refused(400, `${CONTENT}/items?${many}`)
  })

  test('delivery 4: the former path of an item leads to where it is', async () => {
    const moving = await create('articles', { title: 'Old name' })
    const { id } = await ok(`${CONTENT}/item/old-name`)
    await data('PATCH', `/api/v1/articles/${moving.id}`, { body: { slug: 'new-name' } })
    for (const path of ['old-name', 'articles/old-name']) {
      const answer = await fetch(`${server().url}${CONTENT}/item/${path}`, {
        redirect: 'manual',
      })
      const type = (await data('GET', '/api/v1/content-types/article')).uuid
      assert.equal(answer.status, 301)
      assert.equal(answer.headers.get('location'), '/new-name/')
      assert.equal(answer.headers.get('location-start-item-path'), 'articles')
      assert.equal(answer.headers.get('location-start-item-id'), type)
      assert.equal(await answer.text(), '')
    }
    assert.equal((await ok(`${CONTENT}/item/new-name`)).id, id)
  })

  test('delivery 5: what is not for the caller is not there at all', async () => {
    const absent = [at.draft, at.gone, at.vault]
    const listed = await ids('')
    for (const id of absent) {
      await refused(404, `${CONTENT}/item/${id}`)
      assert.ok(!listed.includes(id))
    }
    for (const path of ['draft-steps', 'gone-steps', 'gold', 'vaults/gold']) {
      await refused(404, `${CONTENT}/item/${path}`)
    }
    const { properties } = await ok(`${CONTENT}/item/${at.first}?expand=all`)
    assert.equal(properties.vault, null)
    await refused(404, `${MEDIA}/item/${files.secret}`)
    await refused(404, `${MEDIA}/item/secret.png`)
    const media = await ok(`${MEDIA}?take=100`)
    assert.deepEqual(
      media.items.map(({ id }: Item) => id),
      [files.cover],
    )
    assert.deepEqual(await ok(`${MEDIA}/items?id=${files.secret}`), [])

    const withKey = { 'x-api-key': ADMIN_KEY }
    assert.equal((await ok(`${CONTENT}/item/${at.vault}`, withKey)).name, 'Gold')
    const seen = await ok(`${CONTENT}/item/${at.first}`, withKey)
    assert.equal(seen.properties.vault.name, 'Gold')
    assert.equal((await ok(`${MEDIA}/item/${files.secret}`, withKey)).name, 'secret.png')

    const related = await create('articles', { title: 'Relating' })
    const hidden = await create('articles', { title: 'To hide' })
    const body = { related: [hidden.id] }
    await data('PATCH', `/api/v1/articles/${related.id}`, { body })
    const relatedOf = async () =>
      (await ok(`${CONTENT}/item/${related.document_id}`)).properties.related.length
    assert.equal(await relatedOf(), 1)
    await data('POST', `/api/v1/articles/${hidden.id}/unpublish`)
    assert.equal(await relatedOf(), 0)
    await refused(404, `${CONTENT}/item/${hidden.document_id}`)

    await data('POST', `/api/v1/pages/${at.guide}/unpublish`)
    await refused(404, `${CONTENT}/item/${at.steps}`)
    await refused(404, `${CONTENT}/item/guides/steps`)
    assert.ok(!(await ids('')).includes(at.steps))
    await data('POST', `/api/v1/pages/${at.guide}/publish`)
    assert.equal((await ok(`${CONTENT}/item/guides/steps`)).id, at.steps)

    await settings({ DisallowedContentTypeAliases: ['AUTHOR'] })
    await refused(404, `${CONTENT}/item/${at.ada}`)
    await refused(404, `${CONTENT}/item/authors/ada`)
    assert.ok(!(await ids('')).includes(at.ada))
    const shown = await ok(`${CONTENT}/item/${at.first}?expand=all`)
    assert.equal(shown.properties.author, null)
    assert.equal(shown.properties.quotes.items[0].content.properties.speaker, null)
    assert.deepEqual(await ids('filter=contentType:author'), [])
    await settings({ AllowedContentTypeAliases: ['Author', 'note'], MaxTake: 30 })
    const only = await ok(`${CONTENT}?take=30`)
    assert.ok(only.items.every(({ contentType }: Item) => contentType === 'note'))
    const back = { DisallowedContentTypeAliases: null, AllowedContentTypeAliases: null }
    await settings({ ...back, MaxTake: null })
    assert.equal((await ok(`${CONTENT}/item/${at.ada}`)).name, 'Ada')
  })

  test('media are listed, filtered and found by id and path', async () => {
    const { path, createDate, updateDate, ...media } = await ok(`${MEDIA}/item/${files.cover}`)
    assert.equal(path, '/photos/harbour.png/')
    assert.ok(createDate && updateDate)
    assert.match(media.url, /^\/uploads\/.+\.png$/)
    assert.deepEqual(
      { ...media, url: '' },
      {
        ...{ focalPoint: null, crops: [], id: files.cover, name: 'Harbour.png' },
        ...{ mediaType: 'Image', url: '', extension: 'png', width: 1, height: 1, bytes: 70 },
        properties: { alternativeText: 'Boats' },
      },
    )
    assert.equal((await ok(`${MEDIA}/item/photos/harbour.png`)).id, files.cover)
    const [folder] = (await ok(`${MEDIA}?fetch=children:/`)).items
    assert.deepEqual([folder.mediaType, folder.name, folder.url], ['Folder', 'Photos', ''])
    assert.deepEqual([folder.extension, folder.bytes, folder.path], [null, null, '/photos/'])
    for (const target of [folder.id, 'photos']) {
      const inside = await ok(`${MEDIA}?fetch=children:${target}`)
      assert.deepEqual(
        inside.items.map(({ id }: Item) => id),
        [files.cover],
      )
    }
    assert.equal((await ok(`${MEDIA}/item/${folder.id}`)).name, 'Photos')
    assert.equal((await ok(`${MEDIA}/item/photos`)).mediaType, 'Folder')
    const counts: readonly (readonly [string, number])[] = [
      ['mediaType:image', 1],
      ['mediaType:!image', 0],
      ['mediaType:File', 0],
      ['name:harb', 1],
      ['extension:PNG,jpg', 1],
      ['createDate>2020-01-01,name:x', 0],
    ]
    for (const [filter, total] of counts) {
      assert.equal((await ok(`${MEDIA}?filter=${filter}&sort=name:desc`)).total, total, filter)
    }
    await refused(400, `${MEDIA}?filter=colour:red`)
    await refused(400, `${MEDIA}?filter=name>a`)
    await refused(400, `${MEDIA}?sort=level:asc`)
    await refused(400, `${MEDIA}?fetch=ancestors:photos`)
    await refused(404, `${MEDIA}/item/nowhere`)
  })

  test('delivery 21: answers carry a tag, and who has them gets no second copy', async () => {
    for (const path of [CONTENT, `${CONTENT}/item/${at.first}`, MEDIA]) {
      const first = await get(path)
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^W\/"/)
      assert.equal(first.headers.get('cache-control'), 'public, no-cache')
      assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
      const vary = (first.headers.get('vary') ?? '').split(', ')
      for (const name of [
        ...['Accept-Language', 'Preview', 'Start-Item', 'Api-Key', 'X-API-Key', 'Authorization'],
      ]) {
        assert.ok(vary.includes(name), `${path} varies by ${name}`)
      }
      const again = await get(path, { 'if-none-match': etag })
      assert.deepEqual([again.status, again.body], [304, ''])
    }
    const item = `${CONTENT}/item/${at.first}`
    const keyed = await get(item, { 'x-api-key': ADMIN_KEY })
    assert.equal(keyed.headers.get('cache-control'), 'private, no-cache')
    const etag = (await get(item)).headers.get('etag') ?? ''
    await data('PATCH', `/api/v1/articles/${at.first}`, { body: { summary: 'Longer' } })
    const changed = await get(item, { 'if-none-match': etag })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.properties.summary, 'Longer')
    await settings({ ApiKey: 'preview-key' })
    const preview = await get(item, { preview: 'true', 'api-key': 'preview-key' })
    assert.equal(preview.headers.get('cache-control'), 'no-store')
    assert.match(preview.headers.get('etag') ?? '', /^W\/"/)
    await settings({ ApiKey: null })
  })
})
