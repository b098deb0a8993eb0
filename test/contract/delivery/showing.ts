import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CONTENT, deliverySuite, type Item } from './support.ts'

export const showing = deliverySuite('content delivery: what items show', (delivery) => {
  const { data, get, ok, refused, create, upload, settings } = delivery
  const at = { ada: '', bob: '', first: '', second: '', page: '', only: '', note: '' }
  const files = { cover: '', coverUrl: '', other: '' }

  before(async () => {
    const cover = await upload('Harbour.png', { alternative_text: 'Boats' })
    const other = await upload('other.png', { caption: 'Other' })
    Object.assign(files, { cover: cover.uuid, coverUrl: cover.url, other: other.uuid })
    const ada = await create('authors', { name: 'Ada', bio: 'Counts', portrait: other.id })
    const bob = await create('authors', { name: 'Bob', friend: ada.id })
    await data('PATCH', `/api/v1/authors/${ada.id}`, { body: { friend: bob.id } })
    const first = await create('articles', {
      ...{ title: 'First', summary: 'One', author: ada.id, cover: cover.id },
      ...{ gallery: [cover.id, other.id] },
      lead: { text: 'Lead', picture: cover.id, speaker: bob.id },
      quotes: [{ text: 'One', speaker: ada.id }, { text: 'Two' }],
    })
    const second = await create('articles', { title: 'Second', related: [first.id] })
    const page = await create('pages', { title: 'Home page', text: 'English', votes: 1 })
    const body = { title: 'Hjemmeside', text: 'Dansk', locale: 'da', document_id: page.document_id }
    await data('POST', '/api/v1/pages', { body })
    const only = await create('pages', { title: 'Kun dansk', text: 'Kun', locale: 'da', votes: 2 })
    const note = await create('notes', { name: 'Invariant' })
    for (const [name, { document_id }] of Object.entries({
      ada,
      bob,
      first,
      second,
      page,
      only,
      note,
    })) {
      Object.assign(at, { [name]: document_id })
    }
  })

  const item = async (query: string, id = at.first) =>
    (await ok(`${CONTENT}/item/${id}?${query}`)).properties

  test('delivery 11: relations and media are ids until they are expanded', async () => {
    const plain = await item('')
    assert.deepEqual(plain.cover, [{ id: files.cover }])
    assert.deepEqual(plain.gallery, [{ id: files.cover }, { id: files.other }])
    assert.deepEqual(plain.author.properties, {})
    assert.deepEqual(Object.keys(plain.author), [
      ...['contentType', 'name', 'createDate', 'updateDate', 'route', 'id', 'properties'],
    ])
    assert.deepEqual([plain.author.name, plain.author.id], ['Ada', at.ada])
    assert.equal(plain.author.route.path, '/ada/')
    for (const query of ['expand=all', 'expand=$all', 'expand=properties[$all]']) {
      const all = await item(query)
      assert.equal(all.author.properties.bio, 'Counts', query)
      assert.deepEqual(all.author.properties.portrait, [{ id: files.other }])
      assert.deepEqual(all.author.properties.friend.properties, {})
      assert.deepEqual(all.cover, [
        {
          ...{
            focalPoint: null,
            crops: [],
            id: files.cover,
            name: 'Harbour.png',
            mediaType: 'Image',
          },
          ...{ url: files.coverUrl, extension: 'png', width: 1, height: 1, bytes: 70 },
          properties: { alternativeText: 'Boats' },
        },
      ])
    }
    for (const query of ['expand=properties[cover]', 'expand=property:cover']) {
      const some = await item(query)
      assert.equal(some.cover[0].name, 'Harbour.png')
      assert.deepEqual(some.author.properties, {})
      assert.deepEqual(some.gallery, [{ id: files.cover }, { id: files.other }])
    }
    const nested = await item('expand=properties[author[properties[friend,portrait]]]')
    assert.equal(nested.author.properties.friend.name, 'Bob')
    assert.equal(nested.author.properties.friend.properties.bio, null)
    assert.equal(nested.author.properties.portrait[0].properties.caption, 'Other')
    assert.deepEqual(nested.author.properties.friend.properties.friend.properties, {})
  })

  test('delivery 11: a cycle of two shows eight levels and is refused nine', async () => {
    const levels = (n: number) =>
      `${'properties[friend['.repeat(n - 1)}properties[friend]${']]'.repeat(n - 1)}`
    const eight = await item(`expand=${levels(8)}`, at.ada)
    let inner: Item = { properties: eight }
    const names: string[] = []
    for (let n = 0; n < 9; n++) {
      inner = inner.properties.friend
      names.push(inner.name)
    }
    assert.equal(names.join(' '), 'Bob Ada Bob Ada Bob Ada Bob Ada Bob')
    assert.deepEqual(inner.properties, {})
    const problem = await refused(400, `${CONTENT}/item/${at.ada}?expand=${levels(9)}`)
    assert.deepEqual([problem.title, problem.param], ['Expand not valid', 'expand'])
    const wide = `${'properties[$all['.repeat(7)}properties[$all]${']]'.repeat(7)}`
    const grown = await get(`${CONTENT}?expand=${wide}`)
    assert.ok(grown.status === 400 || grown.status === 200, String(grown.status))
  })

  test('components show their properties, and selections step into them', async () => {
    const { lead, quotes } = await item('')
    assert.equal(quotes.items.length, 2)
    const [{ content, settings: none }] = quotes.items
    assert.deepEqual([content.contentType, none], ['default.quote', null])
    assert.match(content.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.equal(content.properties.speaker.name, 'Ada')
    assert.deepEqual(content.properties.speaker.properties, {})
    assert.deepEqual(lead.items[0].content.properties.picture, [{ id: files.cover }])
    const into = await item(
      'expand=properties[lead[properties[picture]]]&fields=properties[lead[properties[picture]]]',
    )
    assert.deepEqual(Object.keys(into), ['lead'])
    const [{ content: shown }] = into.lead.items
    assert.deepEqual(Object.keys(shown.properties), ['picture'])
    assert.equal(shown.properties.picture[0].url, files.coverUrl)
    assert.deepEqual((await item('expand=all')).lead.items[0].content.properties.picture, [
      { id: files.cover },
    ])
  })

  test('delivery 12: fields limit properties at every level, and bad selections are refused', async () => {
    assert.deepEqual(Object.keys(await item('fields=properties[summary,cover]')), [
      'summary',
      'cover',
    ])
    const nested = await item('expand=all&fields=properties[author[properties[bio]]]')
    assert.deepEqual(nested, { author: { ...nested.author, properties: { bio: 'Counts' } } })
    assert.deepEqual(await item('fields=properties:[id]'), {})
    assert.deepEqual(await item('fields=nothing'), {})
    const whole = await item('')
    assert.deepEqual(await item('fields=properties[$all]'), whole)
    assert.deepEqual(await item('fields=$all'), whole)
    assert.deepEqual(await item('fields='), whole)
    const listed = await ok(`${CONTENT}?fields=properties[summary]&filter=contentType:article`)
    assert.deepEqual(listed.items[0].properties, { summary: 'One' })
    assert.ok(listed.items[0].route && listed.items[0].cultures)
    const [several] = await ok(
      `${CONTENT}/items?id=${at.first}&fields=properties[cover]&expand=all`,
    )
    assert.equal(several.properties.cover[0].name, 'Harbour.png')
    const refusals: readonly (readonly [string, string, string])[] = [
      ['fields', 'properties[', 'Fields not valid'],
      ['expand', '[a]', 'Expand not valid'],
      ['expand', 'properties[]', 'Expand not valid'],
      ['fields', 'properties[a]b', 'Fields not valid'],
      ['expand', 'properties[a]]', 'Expand not valid'],
    ]
    for (const [name, value, title] of refusals) {
      for (const path of ['', `/item/${at.first}`, `/items`]) {
        const problem = await refused(400, `${CONTENT}${path}?${name}=${value}`)
        assert.deepEqual([problem.title, problem.param, problem.value], [title, name, value])
      }
    }
  })

  test('un-expanded media may be shown in summary', async () => {
    await settings({ UnexpandedMedia: 'summary' })
    const { cover } = await item('')
    assert.deepEqual(
      [cover[0].url, cover[0].properties, cover[0].path],
      [files.coverUrl, {}, undefined],
    )
    await settings({ UnexpandedMedia: null })
    assert.deepEqual((await item('')).cover, [{ id: files.cover }])
  })

  test('delivery 13: the culture of the parameter, of a plain header, else the default', async () => {
    const page = (query: string, headers = {}) => ok(`${CONTENT}/item/${at.page}?${query}`, headers)
    const text = async (query: string, headers = {}) => (await page(query, headers)).properties.text
    assert.equal(await text(''), 'English')
    assert.equal(await text('culture=da'), 'Dansk')
    assert.equal(await text('culture=DA', { 'accept-language': 'en' }), 'Dansk')
    assert.equal(await text('', { 'accept-language': 'da' }), 'Dansk')
    for (const header of ['*', 'da;q=0.9, en;q=0.8', 'da, en']) {
      assert.equal(await text('', { 'accept-language': header }), 'English', header)
    }
    const danish = await page('culture=da')
    assert.deepEqual([danish.name, danish.route.path], ['Hjemmeside', '/hjemmeside/'])
    const { startItem } = danish.route
    assert.deepEqual(danish.cultures, {
      en: { path: '/home-page/', startItem },
      da: { path: '/hjemmeside/', startItem },
    })
    assert.equal((await ok(`${CONTENT}/item/hjemmeside?culture=da`)).id, at.page)
    await refused(404, `${CONTENT}/item/hjemmeside`)
    await refused(404, `${CONTENT}/item/${at.only}`)
    const listed = async (query: string) =>
      (await ok(`${CONTENT}?filter=contentType:page&sort=name:desc&${query}`)).items.map(
        ({ name }: Item) => name,
      )
    assert.deepEqual(await listed(''), ['Home page'])
    assert.deepEqual(await listed('culture=da'), ['Kun dansk', 'Hjemmeside'])
    assert.deepEqual(await listed('culture=da&filter=name:hjem'), ['Hjemmeside'])

    await refused(404, `${CONTENT}/item/${at.page}?culture=fr-FR`)
    assert.deepEqual(await listed('culture=fr-FR'), [])
    assert.equal((await ok(`${CONTENT}/item/${at.note}?culture=fr-FR`)).name, 'Invariant')
    const problem = await refused(400, `${CONTENT}/item/${at.note}?culture=%00`)
    assert.equal(problem.title, 'One or more validation errors occurred.')
    for (const code of ['x', 'english', 'en_US']) {
      const { errors } = await refused(400, `${CONTENT}?culture=${code}`)
      assert.deepEqual(Object.keys(errors), ['culture'])
    }
  })

  test('delivery 17: rich text is markup or a tree, with where its links lead', async () => {
    const markup = [
      '<p data-kind="intro">Hello <b>you</b> <i>there</i><!-- note --></p>\n',
      '<p><a href="/articles/second?x=1">entry</a><a href="/{localLink:',
      `${at.second}}#top">local</a><a href="${files.coverUrl}">file</a>`,
      '<a href="https://example.org/">far</a>&eacute;</p>',
      '<p>open <b>ended',
    ].join('')
    const written = await create('articles', {
      title: 'Written',
      body: markup,
      home: { entry: at.second, title: 'Second' },
    })
    const id = written.document_id
    const start = (await data('GET', '/api/v1/content-types/article')).uuid
    const route = { path: '/second/', startItem: { id: start, path: 'articles' } }
    const { body, home } = await item('', id)
    assert.deepEqual(Object.keys(body), ['markup', 'blocks'])
    assert.deepEqual(body.blocks, [])
    assert.ok(!body.markup.includes('note'))
    assert.match(body.markup, /<a href="\/second\/#top" data-start-item-path="articles"/)
    assert.match(body.markup, /<a href="\/articles\/second\?x=1">/)
    assert.match(body.markup, /<p>open <b>ended<\/b><\/p>$/)
    const link = {
      destinationId: at.second,
      destinationType: 'article',
      route,
      linkType: 'Content',
    }
    assert.deepEqual(home, [
      { url: null, queryString: null, title: 'Second', target: null, ...link },
    ])

    await settings({ RichTextOutputAsJson: true })
    const text = (value: string) => ({ tag: '#text', text: value })
    const element = (tag: string, attributes: object, ...elements: object[]) => ({
      tag,
      attributes,
      elements,
    })
    assert.deepEqual((await item('', id)).body, {
      ...element(
        '#root',
        {},
        element(
          'p',
          { kind: 'intro' },
          text('Hello '),
          element('b', {}, text('you')),
          text(' '),
          element('i', {}, text('there')),
        ),
        element(
          'p',
          {},
          element('a', { ...link, route: { ...route, queryString: '?x=1' } }, text('entry')),
          element('a', { ...link, route: { ...route, queryString: '#top' } }, text('local')),
          element(
            'a',
            {
              href: files.coverUrl,
              destinationId: files.cover,
              destinationType: 'Image',
              linkType: 'Media',
            },
            text('file'),
          ),
          element('a', { href: 'https://example.org/' }, text('far')),
          text('é'),
        ),
        element('p', {}, text('open '), element('b', {}, text('ended'))),
      ),
      blocks: [],
    })
    const empty = await item('')
    assert.deepEqual(empty.body, { ...element('#root', {}), blocks: [] })
    const deep = await create('articles', { title: 'Deep', body: '<div>'.repeat(5_000) })
    assert.equal((await item('', deep.document_id)).body, null)

    await data('POST', `/api/v1/articles/${at.second}/unpublish`)
    const gone = await item('', id)
    const [, links] = gone.body.elements
    assert.deepEqual(links.elements[0].attributes, { href: '/articles/second?x=1' })
    assert.deepEqual(links.elements[1].attributes, {})
    assert.deepEqual(gone.home, [])
    await data('POST', `/api/v1/articles/${at.second}/publish`)
    await settings({ RichTextOutputAsJson: null })
    assert.deepEqual((await item('', id)).body, body)
  })

  test('links lead to entries, files and elsewhere', async () => {
    const linked = async (home: object) =>
      item('', (await create('articles', { title: 'Linked', home })).document_id).then(
        ({ home: value }) => value[0],
      )
    const far = await linked({ url: 'https://example.org/x?y=1', title: 'Far', target: '_blank' })
    assert.deepEqual(far, {
      ...{ url: 'https://example.org/x?y=1', queryString: null, title: 'Far', target: '_blank' },
      ...{ destinationId: null, destinationType: null, route: null, linkType: 'External' },
    })
    const file = await linked({ url: files.coverUrl })
    assert.deepEqual(
      [file.url, file.linkType, file.destinationId, file.destinationType],
      [...[files.coverUrl, 'Media', files.cover, 'Image']],
    )
    assert.equal((await linked({ url: '/articles/second' })).linkType, 'Content')
    assert.deepEqual((await item('')).home, [])
  })
})
