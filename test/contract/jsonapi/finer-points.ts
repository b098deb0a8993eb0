import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { jsonApiSuite, linkTo, PNG } from './support.ts'

const ARTICLES = '/jsonapi/node/article'
const SAMPLES = '/jsonapi/node/sample'
const TAGS = 'taxonomy_term--tags'

interface Fault {
  readonly code: string
  readonly detail: string
  readonly source: { readonly pointer?: string; readonly parameter?: string }
  readonly meta?: { readonly field?: string }
}

/** What clients written for the modelled system found missing or different. */
export const finerPoints = jsonApiSuite('finer points of JSON:API', (jsonApi) => {
  const { server, call, ok, json, create, ids, refused } = jsonApi
  const at = { one: '', two: '', none: '' }
  const files: Record<string, string> = {}
  let tag = ''

  const article = (attributes: object, more: object = {}) => ({
    data: { type: 'node--article', attributes, ...more },
  })

  before(async () => {
    tag = await create(TAGS, { name: 'Red' })
    const main = { data: { type: TAGS, id: tag } }
    at.one = await create('node--sample', { name: 'one', whole: 1, price: 1.5 }, { main })
    at.two = await create('node--sample', { name: 'two', whole: 2, price: 2.25 })
    at.none = await create('node--sample', { name: 'none' })
    for (const name of ['Harbour', 'Lake']) files[name] = await upload(name)
  })

  async function upload(name: string): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(PNG)]), `${name.toLowerCase()}.png`)
    const headers = { 'x-api-key': jsonApi.keys.write }
    const answer = await fetch(`${server().url}/api/v1/media`, {
      ...{ method: 'POST', body: form, headers },
    })
    const { data } = JSON.parse(await answer.text())
    const about = { name, alternative_text: `${name} ÄÖ`, caption: `Seen: ${name}` }
    return (await json('PATCH', `/api/v1/media/${data.id}`, about)).data.uuid
  }

  async function matching(query: string): Promise<string> {
    const found = await ids(`${SAMPLES}?${query}`)
    return Object.entries(at)
      .filter(([, id]) => found.includes(id))
      .map(([name]) => name)
      .join(' ')
  }

  test('jsonapi 3: every link is a URI, however the request was written', async () => {
    const raw = `${SAMPLES}?filter[name][value]=one&page[limit]=1&fields[node--sample]=name&x_y="ä`
    const { links } = await ok('GET', raw)
    assert.ok(links.self.href.includes('filter%5Bname%5D%5Bvalue%5D=one'), links.self.href)
    const again = await ok('GET', links.self.href.slice(server().url.length))
    assert.equal(again.links.self.href, links.self.href)
    const page = await ok('GET', `${SAMPLES}?page[limit]=1&filter[name][operator]=IS NOT NULL`)
    const next = await ok('GET', page.links.next.href.slice(server().url.length))
    assert.equal(next.meta.count, 3)
    assert.equal(next.data[0].attributes.name, 'two')
  })

  test('jsonapi 13: all that is wrong is told together, on PATCH as on POST', async () => {
    const wrong = {
      title: '',
      body: { value: 'x', format: 'nope', colour: 'red' },
      home: { uri: 'https://example.org', label: 'x', options: { attributes: { rel: 'me' } } },
      nope: 1,
      seo: { description: 'x'.repeat(30) },
    }
    const relationships = { tags: linkTo('node--sample', at.one) }
    const id = await create('node--article', { title: 'Right', body: 'x' })
    const sent = [
      ['POST', ARTICLES, article(wrong, { relationships })],
      ['PATCH', `${ARTICLES}/${id}`, article(wrong, { id, relationships })],
    ] as const
    for (const [method, path, body] of sent) {
      const errors: Fault[] = await refused(422, method, path, { body })
      assert.deepEqual(
        errors.map(({ source }) => source.pointer).toSorted(),
        [
          '/data/attributes/body/colour',
          '/data/attributes/body/format',
          '/data/attributes/home/label',
          '/data/attributes/home/options',
          '/data/attributes/nope',
          '/data/attributes/seo/description',
          '/data/attributes/title',
          '/data/relationships/tags/data/0/type',
        ],
        `${method}: ${JSON.stringify(errors)}`,
      )
    }
    const { data } = await ok('GET', `${ARTICLES}/${id}`)
    assert.equal(data.attributes.title, 'Right')
    const [summary] = await refused(422, 'POST', ARTICLES, {
      body: article({ title: 'S', body: { value: 'x', summary: 'short' } }),
    })
    assert.equal(summary.source.pointer, '/data/attributes/body/summary')
    // Of a text with another format the text is sent, too: nothing is not what it was.
    const [value] = await refused(422, 'PATCH', `${ARTICLES}/${id}`, {
      body: article({ body: { format: 'full_html' } }, { id }),
    })
    assert.deepEqual([value.source.pointer, value.meta.field], ['/data/attributes/body', 'value'])
    assert.equal((await ok('GET', `${ARTICLES}/${id}`)).data.attributes.body.value, 'x')
  })

  test('jsonapi 9: a path is translated with and without its first slash', async () => {
    const id = await create('node--article', { title: 'Slashes' })
    for (const path of ['/articles/slashes', 'articles/slashes', 'articles/slashes/']) {
      const { body } = await call('GET', `/router/translate-path?path=${encodeURIComponent(path)}`)
      assert.equal(body.entity?.uuid, id, path)
    }
    const elsewhere = encodeURIComponent('https://example.org/articles/slashes')
    assert.equal((await call('GET', `/router/translate-path?path=${elsewhere}`)).status, 404)
  })

  test('jsonapi 9: path.alias sets the slug and where the entry hangs', async () => {
    const made = await ok('POST', ARTICLES, {
      body: article({ title: 'Anything', path: { alias: '/articles/Chosen-Path' } }),
    })
    const { id } = made.data
    assert.equal(made.data.attributes.path.alias, '/articles/chosen-path')
    assert.equal(made.data.attributes.slug, 'Chosen-Path')
    const patch = (alias: unknown, more: object = {}) => ({
      body: article({ path: { alias }, ...more }, { id }),
    })
    const place = `${ARTICLES}/${id}`
    const moved = await ok('PATCH', place, patch('/articles/other/'))
    assert.equal(moved.data.attributes.path.alias, '/articles/other')
    const found = await call('GET', '/router/translate-path?path=/articles/chosen-path')
    assert.equal(found.body.redirect[0].to, '/articles/other')
    await create('node--article', { title: 'Above' })
    const below = await ok('PATCH', place, patch('/articles/above/below'))
    assert.equal(below.data.attributes.path.alias, '/articles/above/below')
    const back = await ok('PATCH', place, patch('/articles/back', { slug: 'below' }))
    assert.equal(back.data.attributes.path.alias, '/articles/back')
    const same = await ok('PATCH', place, { body: { data: back.data } })
    assert.equal(same.data.attributes.path.alias, '/articles/back')

    const pointer = '/data/attributes/path/alias'
    for (const alias of ['/nowhere/x', 'articles/x', '/articles/a b', null, 5]) {
      const [error] = await refused(422, 'PATCH', place, patch(alias))
      assert.equal(error.source.pointer, pointer, String(alias))
    }
    const [twice] = await refused(422, 'PATCH', place, patch('/articles/a', { slug: 'b' }))
    assert.equal(twice.source.pointer, pointer)
    const [taken] = await refused(409, 'PATCH', place, patch('/articles/above'))
    assert.equal(taken.source.pointer, pointer)
    const body = { data: { type: 'node--sample', attributes: { path: { alias: '/samples/x' } } } }
    const [without] = await refused(422, 'POST', SAMPLES, { body })
    assert.equal(without.source.pointer, pointer)
    const unknown = article({ title: 'x', path: { alias: null, colour: 1 } })
    await refused(422, 'POST', ARTICLES, { body: unknown })
    await ok('POST', ARTICLES, { body: article({ title: 'No wish', path: { alias: null } }) })
  })

  test('jsonapi 8: a number that names no revision is 404, anything else 400', async () => {
    for (const id of ['-11', '0', '99999999999999999999999']) {
      await refused(404, 'GET', `${SAMPLES}/${at.one}?resourceVersion=id:${id}`)
      await refused(404, 'GET', `/jsonapi/file/file/${files['Lake']}?resourceVersion=id:${id}`)
    }
    await refused(400, 'GET', `${SAMPLES}/${at.one}?resourceVersion=id:1.5`)
    await refused(400, 'GET', `${SAMPLES}?resourceVersion=id:-11`)
    const { data } = await ok('GET', `/jsonapi/media/image/${files['Lake']}`)
    const own = data.attributes.drupal_internal__vid
    for (const below of ['', '/field_media_image', '/relationships/field_media_image']) {
      const path = `/jsonapi/media/image/${files['Lake']}${below}?resourceVersion=`
      await ok('GET', `${path}id:${own}`)
      await refused(404, 'GET', `${path}id:-11`)
      await refused(400, 'GET', `${path}newest`)
    }
  })

  test('jsonapi 18: parameters that would have no effect are refused with their names, before anything is done', async () => {
    const id = await create('node--article', { title: 'Quiet' })
    const one = `${ARTICLES}/${id}`
    const tags = `${one}/relationships/tags`
    const said = async (method: string, path: string, parameter: string, sent: object = {}) => {
      const [error]: Fault[] = await refused(400, method, path, sent)
      assert.deepEqual(error?.source, { parameter }, `${method} ${path}`)
    }
    for (const parameter of ['filter[title]', 'sort', 'page[limit]']) {
      for (const path of [one, `/jsonapi/media/image/${files['Lake']}`, '/jsonapi']) {
        await said('GET', `${path}?${parameter}=1`, parameter)
      }
      await said('DELETE', `${one}?${parameter}=1`, parameter)
      const body = article({ title: 'Loud' }, { id })
      await said('PATCH', `${one}?${parameter}=1`, parameter, { body })
      await said('POST', `${ARTICLES}?${parameter}=1`, parameter, {
        body: article({ title: 'Loud' }),
      })
    }
    for (const path of [tags, `${one}/uid`, `${one}/node_type`]) {
      await said('GET', `${path}?filter[id]=${tag}`, 'filter[id]')
      await said('GET', `${path}?sort=id`, 'sort')
    }
    const link = linkTo(TAGS, tag)
    for (const parameter of ['include', 'fields[node--article]', 'page[offset]']) {
      await said('PATCH', `${tags}?${parameter}=1`, parameter, { body: link })
      await said('DELETE', `${tags}?${parameter}=1`, parameter, { body: link })
    }
    await said('POST', `${tags}?include=nope`, 'include', { body: link })
    await said('POST', `${tags}?page[limit]=0`, 'page[limit]', { body: link })
    const octets = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="loud.png"',
    }
    for (const path of [`${one}/cover`, `${ARTICLES}/cover`]) {
      await said('POST', `${path}?include=nope`, 'include', { text: PNG, headers: octets })
    }
    const { data } = await ok('GET', one)
    assert.deepEqual(
      [data.attributes.title, data.relationships.tags.data, data.relationships.cover.data],
      ['Quiet', [], null],
    )
    assert.deepEqual(await ids(`${ARTICLES}?filter[title]=Loud`), [])
    assert.deepEqual(await ids('/jsonapi/file/file?filter[filename]=loud.png'), [])
    const twice = await call('GET', '/router/translate-path?path=/a&path=/b')
    assert.deepEqual([twice.status, /once/.test(twice.body.message)], [400, true])
  })

  test('jsonapi 8: a link that names a revision changes no other', async () => {
    const id = await create('node--article', { title: 'First' })
    const one = `${ARTICLES}/${id}`
    const below = (href: string) => href.slice(server().url.length)
    const read = await ok('GET', one)
    const link = below(read.data.links.self.href)
    const tags = below(read.data.relationships.tags.links.self.href)
    assert.match(tags, /resourceVersion=id/)
    assert.equal((await call('POST', tags, { body: linkTo(TAGS, tag) })).status, 204)
    const body = article({ title: 'Second' }, { id })
    for (const [method, path] of [
      ['PATCH', link],
      ['DELETE', link],
      ['PATCH', tags],
    ] as const) {
      const sent = path === tags ? linkTo(TAGS) : body
      const [error] = await refused(412, method, path, { body: sent })
      assert.deepEqual(error.source, { parameter: 'resourceVersion' })
    }
    for (const version of ['rel:working-copy', 'rel:latest-version', 'newest']) {
      const [error] = await refused(400, 'PATCH', `${one}?resourceVersion=${version}`, { body })
      assert.deepEqual(error.source, { parameter: 'resourceVersion' })
    }
    await refused(400, 'POST', `${ARTICLES}?resourceVersion=rel:working-copy`, { body })
    const { data } = await ok('GET', one)
    assert.deepEqual([data.attributes.title, data.relationships.tags.data.length], ['First', 1])
    const changed = await ok('PATCH', below(data.links.self.href), { body })
    assert.equal(changed.data.attributes.title, 'Second')
    assert.equal((await call('DELETE', below(changed.data.links.self.href))).status, 204)
  })

  test('jsonapi 18: stray commas are refused, empty lists are not', async () => {
    for (const [parameter, query] of [
      ['include', 'include=main,,tags'],
      ['include', 'include=main,'],
      ['sort', 'sort=name,,whole'],
      ['fields[node--sample]', 'fields[node--sample]=name,,whole'],
    ] as const) {
      const [error] = await refused(400, 'GET', `${SAMPLES}?${query}`)
      assert.equal(error.source.parameter, parameter, query)
    }
    await ok('GET', `${SAMPLES}?include=&fields[node--sample]=`)
    await ok('GET', `${SAMPLES}?include=main , tags`)
  })

  test('jsonapi 4: whether a relationship or a component leads anywhere', async () => {
    assert.equal(await matching('filter[main][operator]=IS NULL'), 'two none')
    assert.equal(await matching('filter[main][operator]=IS NOT NULL'), 'one')
    assert.equal(await matching('filter[tags][operator]=IS NULL'), 'one two none')
    assert.equal(await matching('filter[uid][operator]=IS NULL'), '')
    assert.equal(await matching('filter[node_type][operator]=IS NOT NULL'), 'one two none')
    assert.equal(await matching('filter[main.parent][operator]=IS NOT NULL'), '')
    const [error] = await refused(400, 'GET', `${SAMPLES}?filter[main]=1`)
    assert.match(error.detail, /add \.id/)
    await refused(400, 'GET', `${SAMPLES}?sort=main`)
    await refused(400, 'GET', `${ARTICLES}?filter[seo]=1`)
  })

  test('jsonapi 4: numbers compare by size, whatever a field can hold', async () => {
    for (const [condition, found] of [
      ['[whole][operator]=%3E&filter[whole][value]=1.5', 'two'],
      ['[whole][operator]=%3E=&filter[whole][value]=1.5', 'two'],
      ['[whole][operator]=%3C&filter[whole][value]=1.5', 'one'],
      ['[whole][operator]=%3C=&filter[whole][value]=-0.5', ''],
      ['[whole]=1.5', ''],
      ['[whole]=1.0', 'one'],
      ['[whole][operator]=%3C%3E&filter[whole][value]=1.5', 'one two none'],
      ['[whole][operator]=IN&filter[whole][value][]=1.5&filter[whole][value][]=2', 'two'],
      ['[whole][operator]=BETWEEN&filter[whole][value][]=0.5&filter[whole][value][]=1.5', 'one'],
      [
        '[whole][operator]=NOT BETWEEN&filter[whole][value][]=0.5&filter[whole][value][]=1.5',
        'two none',
      ],
      ['[whole][operator]=%3C&filter[whole][value]=99999999999999999999', 'one two'],
      ['[price][operator]=%3E&filter[price][value]=2.2499', 'two'],
      ['[drupal_internal__nid][operator]=%3C&filter[drupal_internal__nid][value]=0.5', ''],
    ] as const) {
      assert.equal(await matching(`filter${condition}`), found, condition)
    }
    await refused(400, 'GET', `${SAMPLES}?filter[whole]=many`)
    await refused(400, 'GET', `${SAMPLES}?filter[whole][operator]=CONTAINS&filter[whole][value]=1`)
  })

  test('jsonapi 4: parts of a link and what is said of a picture', async () => {
    const home = {
      uri: 'https://Example.org/A',
      title: 'Größe',
      options: { attributes: { target: '_blank' } },
    }
    const cover = { data: { type: 'media--image', id: files['Harbour'] } }
    const linked = await create('node--article', { title: 'Linked', home }, { cover })
    await create('node--article', { title: 'Elsewhere', home: { uri: 'https://example.net' } })
    const found = async (query: string) => ids(`${ARTICLES}?${query}`)
    for (const query of [
      'filter[home.uri]=https://example.org/a',
      'filter[home.title]=GRÖßE',
      'filter[home.title][operator]=STARTS_WITH&filter[home.title][value]=grö',
      'filter[t][path]=home.options.attributes.target&filter[t][value]=_blank',
      'filter[cover.field_media_image.meta.alt]=harbour äö',
      'filter[cover.field_media_image.alt][operator]=CONTAINS&filter[cover.field_media_image.alt][value]=HARB',
      'filter[cover.field_media_image.meta.width][operator]=%3C&filter[cover.field_media_image.meta.width][value]=1.5',
      'filter[cover.field_media_image.meta.title]=seen: harbour',
    ]) {
      assert.deepEqual(await found(query), [linked], query)
    }
    const entry = await create('node--article', {
      title: 'Inside',
      home: { uri: `entity:${linked}` },
    })
    assert.deepEqual(await found(`filter[home.uri]=entity:${linked}`), [entry])
    const images = await ids('/jsonapi/media/image?filter[field_media_image.meta.alt]=lake äö')
    assert.deepEqual(images, [files['Lake']])
    assert.equal(
      (await found('sort=home.title&filter[home.title][operator]=IS NOT NULL')).length,
      1,
    )
  })

  test('jsonapi 6: the files of a field are filtered, sorted and paged like entries', async () => {
    const gallery = {
      data: [files['Harbour'], files['Lake']].map((id) => ({ type: 'media--image', id })),
    }
    const id = await create('node--article', { title: 'Gallery' }, { gallery })
    const place = `${ARTICLES}/${id}/gallery`
    assert.deepEqual(await ids(`${place}?filter[name]=LAKE`), [files['Lake']])
    assert.deepEqual(await ids(`${place}?sort=-name`), [files['Lake'], files['Harbour']])
    const first = await ok('GET', `${place}?page[limit]=1&include=field_media_image`)
    assert.equal(first.meta.count, 2)
    assert.equal(first.data[0].id, files['Harbour'])
    assert.equal(first.included.length, 1)
    const next = await ok('GET', first.links.next.href.slice(server().url.length))
    assert.equal(next.data[0].id, files['Lake'])
    await refused(400, 'GET', `${place}?filter[nope]=1`)
  })

  test('jsonapi 18: whoever names what there is not is told what there is', async () => {
    const told = async (path: string, key?: string | null) => {
      const [error] = await refused(400, 'GET', path, key === undefined ? {} : { key })
      return String(error.detail)
    }
    const include = await told(`${ARTICLES}?include=nope`, null)
    assert.match(include, /Possible values: .*tags, main/)
    assert.doesNotMatch(include, /vault/)
    assert.match(await told(`${ARTICLES}?include=nope`), /vault/)
    assert.match(
      await told(`${ARTICLES}?include=tags.nope`),
      /Possible values: node_type, uid, parent/,
    )
    const filter = await told(`${ARTICLES}?filter[nope]=1`, null)
    assert.match(filter, /Possible values: .*title/)
    assert.doesNotMatch(filter, /vault|secret/)
    assert.match(await told(`${ARTICLES}?sort=tag`), /Possible values: /)
    assert.match(await told('/jsonapi/file/file?filter[nope]=1'), /filemime/)
    assert.match(await told('/jsonapi/user/user?filter[nope]=1'), /display_name/)
  })
})
