import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { jsonApiSuite, linkTo, MEDIA_TYPE, PNG } from './support.ts'

const ARTICLES = '/jsonapi/node/article'
const TAGS = 'taxonomy_term--tags'

export const reading = jsonApiSuite('reading JSON:API', (jsonApi) => {
  const { server, call, ok, json, create, ids, keys, refused } = jsonApi
  const at = { red: '', blue: '', first: '', second: '', draft: '', vault: '' }

  before(async () => {
    at.red = await create(TAGS, { name: 'Red', weight: 2 })
    at.blue = await create(TAGS, { name: 'Blue' }, { parent: { data: { type: TAGS, id: at.red } } })
    at.vault = await create('node--vault', { name: 'Gold' })
    at.first = await create(
      'node--article',
      {
        title: 'First steps',
        body: { value: '<p>Hi</p><script>x</script>', format: 'basic_html' },
        rating: 4.5,
        field_type: 'essay',
        published: '2026-03-01T09:30:00+00:00',
        home: { uri: 'https://example.org/', title: 'Home', options: {} },
        words: ['a', 'b'],
        seo: { description: 'Short' },
      },
      {
        tags: linkTo(TAGS, at.red, at.blue),
        main: { data: { type: TAGS, id: at.blue } },
        vault: { data: { type: 'node--vault', id: at.vault } },
      },
    )
    at.second = await create(
      'node--article',
      { title: 'Second steps' },
      { tags: linkTo(TAGS, at.red) },
    )
    at.draft = await create('node--article', { title: 'Draft steps', status: false })
    await create(
      'node--comment',
      { body: 'Nice' },
      { article: { data: { type: 'node--article', id: at.first } } },
    )
  })

  test('jsonapi 1: the media type is exact and documents have the form of the contract', async () => {
    const { status, headers, body } = await call('GET', `${ARTICLES}/${at.first}`, { key: null })
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), MEDIA_TYPE)
    assert.equal(headers.get('x-api-version'), '1')
    assert.match(
      headers.get('vary') ?? '',
      /Accept, Accept-Language, Authorization, X-API-Key, X-API-Version/,
    )
    const { data } = body
    const { attributes, relationships } = data
    assert.equal(data.type, 'node--article')
    assert.equal(attributes.title, 'First steps')
    assert.equal(attributes.status, true)
    assert.equal(attributes.langcode, 'en')
    assert.equal(attributes.default_langcode, true)
    assert.equal(attributes.field_type, 'essay')
    assert.match(attributes.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    assert.equal(attributes.published, '2026-03-01T09:30:00+00:00')
    assert.deepEqual(attributes.body, {
      value: '<p>Hi</p><script>x</script>',
      format: 'basic_html',
      processed: '<p>Hi</p>',
      summary: null,
    })
    assert.deepEqual(attributes.home, { uri: 'https://example.org/', title: 'Home', options: {} })
    assert.deepEqual(attributes.words, ['a', 'b'])
    assert.equal(attributes.seo.description, 'Short')
    assert.equal(attributes.rating, 4.5)
    assert.equal(attributes.secret, undefined)
    assert.deepEqual(attributes.path, {
      alias: '/articles/first-steps',
      pid: attributes.drupal_internal__nid,
      langcode: 'en',
    })
    const version = `?resourceVersion=id%3A${attributes.drupal_internal__vid}`
    const self = `${server().url}${ARTICLES}/${at.first}`
    assert.equal(data.links.self.href, `${self}${version}`)
    assert.equal(body.links.self.href, self)
    assert.deepEqual(
      relationships.tags.data.map(({ id }: { id: string }) => id),
      [at.red, at.blue],
    )
    assert.equal(relationships.tags.links.related.href, `${self}/tags${version}`)
    assert.equal(relationships.tags.links.self.href, `${self}/relationships/tags${version}`)
    assert.equal(relationships.node_type.data.meta.drupal_internal__target_id, 'article')
    assert.equal(relationships.uid.data.type, 'user--user')
    assert.equal(relationships.cover.data, null)
    assert.deepEqual(relationships.gallery.data, [])
    assert.equal(relationships.comments.data.length, 1)
    const second = await ok('GET', `${ARTICLES}/${at.second}`)
    assert.deepEqual(second.data.attributes.words, [])
    assert.equal(second.data.attributes.body, null)
    const lost = await call('GET', '/jsonapi/node/nothing', { headers: { accept: 'text/html' } })
    assert.equal(lost.headers.get('content-type'), MEDIA_TYPE)
    assert.equal(lost.status, 404)
    for (const path of ['not-a-uuid', `${at.first}/nope`, `${at.first}/relationships/nope`]) {
      await refused(404, 'GET', `${ARTICLES}/${path}`)
    }
    const put = await call('PUT', `${ARTICLES}/${at.first}`, { text: '{}' })
    assert.equal(put.status, 405)
    assert.equal(put.headers.get('allow'), 'GET, HEAD, PATCH, DELETE')
    const head = await call('HEAD', `${ARTICLES}/${at.first}`)
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('content-type'), MEDIA_TYPE)
    const etag = (await call('GET', ARTICLES)).headers.get('etag') ?? ''
    assert.equal((await call('GET', ARTICLES, { headers: { 'if-none-match': etag } })).status, 304)
  })

  test('jsonapi 1: a path by the type alone is the same collection, and links use the slash', async () => {
    const { data } = await ok('GET', '/jsonapi/node--article')
    assert.equal(data.length, 2)
    assert.match(data[0].links.self.href, /\/jsonapi\/node\/article\//)
    for (const start of ['', '/da']) {
      const page = await ok('GET', `${start}/jsonapi/node--article?page[limit]=1`)
      const { self, next, last } = page.links
      for (const { href } of [self, next, last]) {
        assert.equal(new URL(href).pathname, `${start}${ARTICLES}`)
      }
    }
    const linkage = await ok('GET', `/jsonapi/node--article/${at.first}/relationships/tags`)
    assert.equal(
      linkage.links.self.href,
      `${server().url}${ARTICLES}/${at.first}/relationships/tags`,
    )
    const bad = await call('GET', '/jsonapi/node/%E0%A4%A')
    assert.equal(bad.status, 400)
    assert.equal(bad.headers.get('content-type'), MEDIA_TYPE)
  })

  test('jsonapi 2: the entry point lists what may be read, and says who one is', async () => {
    const open = await ok('GET', '/jsonapi', { key: null })
    assert.deepEqual(open.data, [])
    assert.equal(open.links.self.href, `${server().url}/jsonapi`)
    assert.equal(open.links['node--article'].href, `${server().url}${ARTICLES}`)
    assert.equal(open.links[TAGS].href, `${server().url}/jsonapi/taxonomy_term/tags`)
    for (const name of ['media--image', 'file--file', 'user--user', 'node_type--node_type']) {
      assert.ok(open.links[name], name)
    }
    assert.equal(open.links['node--vault'], undefined)
    assert.equal(open.meta, undefined)
    const mine = await ok('GET', '/jsonapi')
    assert.ok(mine.links['node--vault'])
    const { href, meta } = mine.meta.links.me
    assert.equal(href, `${server().url}/jsonapi/user/user/${meta.id}`)
    const me = await ok('GET', href.slice(server().url.length))
    assert.equal(me.data.attributes.mail, 'ada@example.org')
    const other = await ok('GET', `/jsonapi/user/user/${meta.id}`, { key: null })
    assert.deepEqual(Object.keys(other.data.attributes), [
      'display_name',
      'drupal_internal__uid',
      'langcode',
    ])
  })

  test('jsonapi 2: what needs a key is absent without one, and 401 where it is named', async () => {
    const hidden = await ok('GET', `${ARTICLES}/${at.first}`, { key: null })
    assert.equal(hidden.data.relationships.vault, undefined)
    const shown = await ok('GET', `${ARTICLES}/${at.first}`)
    assert.equal(shown.data.relationships.vault.data.id, at.vault)
    for (const path of [
      '/jsonapi/node/vault',
      `/jsonapi/node/vault/${at.vault}`,
      `${ARTICLES}?include=vault`,
      `${ARTICLES}/${at.first}/vault`,
      `${ARTICLES}?filter[vault.name]=Gold`,
    ]) {
      const answer = await call('GET', path, { key: null })
      assert.equal(answer.status, 401, path)
      assert.ok(answer.headers.get('www-authenticate'))
    }
    const types = await ok('GET', '/jsonapi/node_type/node_type', { key: null })
    const names = types.data.map(
      ({ attributes }: { attributes: { name: string } }) => attributes.name,
    )
    assert.ok(names.includes('Article') && !names.includes('Vault'), names.join())
  })

  test('jsonapi 3: each form of parameter alone and all together, brackets raw and encoded', async () => {
    assert.deepEqual(await ids(`${ARTICLES}?filter[title]=First steps`), [at.first])
    assert.deepEqual(await ids(`${ARTICLES}?filter%5Btitle%5D=First+steps`), [at.first])
    assert.deepEqual(await ids(`${ARTICLES}?sort=-title`), [at.second, at.first])
    assert.deepEqual(await ids(`${ARTICLES}?sort[a][path]=title&sort[a][direction]=DESC`), [
      at.second,
      at.first,
    ])
    // A list is of one language: that of another to sort by would say nothing.
    const { status } = await call('GET', `${ARTICLES}?sort[a][path]=title&sort[a][langcode]=da`)
    assert.equal(status, 400)
    const page = await ok('GET', `${ARTICLES}?page[limit]=1&page[offset]=1`)
    assert.deepEqual([page.data.length, page.data[0].id, page.meta.count], [1, at.second, 2])
    const all = await ok(
      'GET',
      `${ARTICLES}?filter[title][value]=steps&filter[title][operator]=CONTAINS&include=tags,uid&sort=-title` +
        `&page[limit]=1&page[offset]=0&fields[node--article]=title,tags&fields[${TAGS}]=name`,
    )
    assert.equal(all.data[0].id, at.second)
    assert.deepEqual(Object.keys(all.data[0].attributes), ['title'])
    assert.deepEqual(Object.keys(all.data[0].relationships), ['tags'])
    assert.deepEqual(all.included[0].attributes, { name: 'Red' })
    assert.match(all.links.next.href, /page%5Boffset%5D=1&page%5Blimit%5D=1$/)
    assert.match(all.links.next.href, /include=tags,uid/)
  })

  test('jsonapi 6: related resources are included once, and found at their own places', async () => {
    const list = await ok('GET', `${ARTICLES}?include=tags,uid,main.parent,comments`)
    const names = list.included.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
    assert.equal(new Set(names).size, names.length)
    assert.ok(names.includes(`${TAGS} ${at.red}`) && names.includes(`${TAGS} ${at.blue}`))
    assert.equal(names.filter((name: string) => name.startsWith('user--user')).length, 1)
    const tag = list.included.find(({ id }: { id: string }) => id === at.blue)
    assert.equal(tag.relationships.parent.data.id, at.red)
    assert.equal((await ok('GET', `${ARTICLES}?include=`)).included.length, 0)
    assert.equal((await ok('GET', ARTICLES)).included, undefined)
    const related = await ok('GET', `${ARTICLES}/${at.first}/tags?include=parent`)
    assert.deepEqual(
      related.data.map(({ id }: { id: string }) => id),
      [at.red, at.blue],
    )
    assert.deepEqual(related.included, [])
    const linkage = await ok('GET', `${ARTICLES}/${at.first}/relationships/tags`)
    assert.deepEqual(linkage.data[0], {
      type: TAGS,
      id: at.red,
      meta: { drupal_internal__target_id: 1 },
    })
    assert.equal(linkage.links.related.href, `${server().url}${ARTICLES}/${at.first}/tags`)
    const followed = await ok(
      'GET',
      `${ARTICLES}/${at.first}/relationships/main?include=main.parent`,
    )
    assert.deepEqual(
      followed.included.map(({ id }: { id: string }) => id),
      [at.blue, at.red],
    )
    assert.equal((await ok('GET', `${ARTICLES}/${at.second}/main`)).data, null)
    assert.equal((await ok('GET', `${ARTICLES}/${at.second}/relationships/main`)).data, null)
    assert.equal((await ok('GET', `${ARTICLES}/${at.first}/uid`)).data.type, 'user--user')
    const type = await ok('GET', `${ARTICLES}/${at.first}/node_type`)
    assert.equal(type.data.attributes.drupal_internal__type, 'article')
    const one = await ok('GET', `${ARTICLES}/${at.first}/main`)
    assert.equal(one.data.id, at.blue)
  })

  test('jsonapi 7: fieldsets of primary and included types; an empty one leaves the rest', async () => {
    const { data, included } = await ok(
      'GET',
      `${ARTICLES}/${at.first}?include=tags&fields[node--article]=title,unknown&fields[${TAGS}]=`,
    )
    assert.deepEqual(Object.keys(data), ['type', 'id', 'links', 'attributes'])
    assert.deepEqual(data.attributes, { title: 'First steps' })
    assert.deepEqual(Object.keys(included[0]), ['type', 'id', 'links'])
  })

  test('jsonapi 8: former revisions by resourceVersion, as they were, for those who may write', async () => {
    const relationships = { tags: linkTo(TAGS, at.blue, at.red) }
    const id = await create('node--article', { title: 'Was', words: ['x'] }, relationships)
    const path = `${ARTICLES}/${id}`
    const { drupal_internal__vid: vid } = (await ok('GET', path)).data.attributes
    const data = { type: 'node--article', id, attributes: { title: 'Is' } }
    const changed = { ...data, relationships: { tags: linkTo(TAGS, at.red) } }
    await ok('PATCH', path, { body: { data: changed } })
    const former = `${path}?resourceVersion=id:${vid}`
    await refused(401, 'GET', former, { key: null })
    await refused(403, 'GET', former, { key: keys.read })
    const { data: was, included } = await ok('GET', `${former}&include=tags`, { key: keys.write })
    assert.deepEqual([was.attributes.title, was.attributes.words], ['Was', ['x']])
    assert.equal(was.attributes.drupal_internal__vid, vid)
    const named = (list: readonly { id: string }[]) => list.map((each) => each.id)
    assert.deepEqual(named(was.relationships.tags.data), [at.blue, at.red])
    assert.deepEqual(named(included), [at.blue, at.red])
    const related = was.relationships.tags.links.related.href.slice(server().url.length)
    assert.deepEqual(named((await ok('GET', related)).data), [at.blue, at.red])
    assert.equal((await ok('GET', path)).data.attributes.title, 'Is')
    await refused(404, 'GET', `${ARTICLES}/${at.first}?resourceVersion=id:${vid}`)
    assert.equal((await call('DELETE', path)).status, 204)
    await refused(404, 'GET', former)
  })

  test('jsonapi 8: drafts by resourceVersion, with the rights for them', async () => {
    const working = 'resourceVersion=rel:working-copy'
    assert.equal((await ids(ARTICLES)).includes(at.draft), false)
    assert.equal((await ids(`${ARTICLES}?${working}`)).includes(at.draft), true)
    const drafts = await ids(`${ARTICLES}?${working}&filter[status]=0`)
    assert.deepEqual(drafts, [at.draft])
    for (const path of [`${ARTICLES}?${working}`, `${ARTICLES}/${at.draft}`]) {
      await refused(401, 'GET', path, { key: null })
      await refused(403, 'GET', path, { key: keys.read })
    }
    assert.equal(
      (await ok('GET', `${ARTICLES}/${at.draft}`, { key: keys.write })).data.attributes.status,
      false,
    )
    const self = (await ok('GET', `${ARTICLES}/${at.draft}`)).data.links.self.href
    const path = self.slice(server().url.length)
    await ok('GET', path, { key: keys.write })
    await refused(401, 'GET', path, { key: null })
    const live = (await ok('GET', `${ARTICLES}/${at.first}`)).data.links.self.href
    await ok('GET', live.slice(server().url.length), { key: null })
    await refused(404, 'GET', `${ARTICLES}/${at.first}?resourceVersion=id:999999`)
    await refused(400, 'GET', `${ARTICLES}/${at.first}?resourceVersion=newest`)
    await refused(400, 'GET', `${ARTICLES}?resourceVersion=id:1`)
    const file = await ok('POST', '/jsonapi/media/image/field_media_image', {
      text: PNG,
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'file; filename="dot.png"',
      },
    })
    for (const version of ['rel:latest-version', 'rel:working-copy']) {
      await ok('GET', `/jsonapi/file/file/${file.data.id}?resourceVersion=${version}`)
    }
    assert.equal(
      (await call('GET', `/jsonapi/file/file/${file.data.id}`, { key: null })).status,
      404,
    )
    assert.equal((await ok('GET', '/jsonapi/file/file')).meta.count, 1)
    assert.equal((await ok('GET', '/jsonapi/media/image?filter[name]=DOT.png')).meta.count, 1)
    assert.equal((await ok('GET', '/jsonapi/media/document')).meta.count, 0)
  })

  test('jsonapi 9: a language by path, with fallback, and a translation made by PATCH', async () => {
    const da = `/da${ARTICLES}`
    const before = await ok('GET', `${da}/${at.first}`)
    assert.equal(before.data.attributes.langcode, 'en')
    const body = {
      data: { type: 'node--article', id: at.first, attributes: { title: 'Første skridt' } },
    }
    const made = await ok('PATCH', `${da}/${at.first}`, { body })
    assert.equal(made.data.attributes.langcode, 'da')
    const shown = await ok('GET', `${da}/${at.first}`)
    assert.equal(shown.data.attributes.title, 'Første skridt')
    assert.equal(shown.data.attributes.rating, 4.5)
    assert.equal(shown.data.attributes.body.value, '<p>Hi</p><script>x</script>')
    assert.equal(shown.data.relationships.tags.data.length, 2)
    assert.match(shown.data.links.self.href, /\/da\/jsonapi\/node\/article\//)
    const english = await ok('GET', `${ARTICLES}/${at.first}`)
    assert.equal(english.data.attributes.title, 'First steps')
    const header = await ok('GET', `${ARTICLES}/${at.first}`, {
      headers: { 'accept-language': 'da' },
    })
    assert.equal(header.data.attributes.title, 'Første skridt')
    const list = { headers: { 'accept-language': 'da, en;q=0.5' } }
    assert.equal((await ok('GET', `${ARTICLES}/${at.first}`, list)).data.attributes.langcode, 'en')
    const titles = (await ok('GET', `${da}?sort=title`)).data.map(
      ({ attributes }: { attributes: { title: string } }) => attributes.title,
    )
    assert.deepEqual(titles, ['Første skridt', 'Second steps'])
    assert.deepEqual(await ids(`${da}?filter[langcode]=da`), [at.first])
    const oneOf = 'filter[l][operator]=IN&filter[l][value][]'
    for (const filter of [
      'filter[langcode]=da',
      `filter[l][path]=langcode&${oneOf}=da`,
      'filter[g][group][conjunction]=AND&filter[l][condition][path]=langcode&filter[l][condition][value]=da&filter[l][condition][memberOf]=g',
    ]) {
      assert.deepEqual(await ids(`${ARTICLES}?${filter}`), [at.first], filter)
    }
    const both = `filter[l][path]=langcode&${oneOf}=da&filter[l][value][]=en`
    for (const [start, code] of [
      ['', 'en'],
      ['/da', 'da'],
    ]) {
      const { data } = await ok('GET', `${start}${ARTICLES}?${both}`)
      const first = data.find(({ id }: { id: string }) => id === at.first)
      assert.deepEqual([data.length, first.attributes.langcode], [2, code])
    }
    await refused(404, 'GET', '/xx/jsonapi/node/article')
    const start = await ok('GET', '/da/jsonapi')
    assert.equal(start.links['node--article'].href, `${server().url}${da}`)
    await ok('DELETE', `${da}/${at.first}`)
    assert.equal((await ok('GET', `${da}/${at.first}`)).data.attributes.langcode, 'en')
    await refused(404, 'DELETE', `${da}/${at.first}`)
  })

  test('jsonapi 5: a walk shows each once; limits, sparse fieldsets, counts without drafts', async () => {
    for (let n = 1; n <= 120; n += 60) {
      const operations = Array.from({ length: 60 }, (_, i) => ({
        ...{ op: 'create', data: { name: `Sample ${(n + i) % 7}`, whole: n + i } },
      }))
      await json('POST', '/api/v1/samples/bulk', { operations })
    }
    const seen: string[] = []
    let path: string | undefined = '/jsonapi/node/sample?sort=name&page[limit]=50'
    while (path !== undefined) {
      const { data, links, meta } = await ok('GET', path)
      assert.equal(meta.count, 120)
      seen.push(...data.map(({ id }: { id: string }) => id))
      const next: string | undefined = links.next?.href
      assert.equal(links.prev !== undefined, seen.length > 50)
      assert.ok(links.last)
      path = next?.slice(server().url.length)
    }
    assert.equal(seen.length, 120)
    assert.equal(new Set(seen).size, 120)
    assert.equal((await ok('GET', '/jsonapi/node/sample')).data.length, 50)
    const large = await ok('GET', '/jsonapi/node/sample?page[limit]=500')
    assert.equal(large.data.length, 100)
    assert.match(large.links.next.href, /page%5Blimit%5D=100/)
    const sparse = await ok('GET', '/jsonapi/node/sample?fields[node--sample]=name')
    assert.equal(sparse.data.length, 120)
    assert.equal(sparse.links.next, undefined)
    const short = await ok('GET', `${ARTICLES}?page[limit]=2`, { key: null })
    assert.deepEqual([short.data.length, short.meta.count], [2, 2])
  })
})
