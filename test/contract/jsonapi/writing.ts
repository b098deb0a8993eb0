import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { ADMIN_EMAIL, ADMIN_PASSWORD, jsonApiSuite, linkTo, MEDIA_TYPE, PNG } from './support.ts'

const ARTICLES = '/jsonapi/node/article'
const TAGS = 'taxonomy_term--tags'

export const writing = jsonApiSuite('writing JSON:API', (jsonApi) => {
  const { server, call, ok, json, create, ids, keys, refused } = jsonApi
  const tag = { red: '', blue: '', green: '' }
  const basic = (password: string) => {
    const login = Buffer.from(`${ADMIN_EMAIL}:${password}`).toString('base64')
    return { authorization: `Basic ${login}` }
  }
  const article = (attributes: object, more: object = {}) => ({
    data: { type: 'node--article', attributes, ...more },
  })

  before(async () => {
    tag.red = await create(TAGS, { name: 'Red' })
    tag.blue = await create(TAGS, { name: 'Blue' })
    tag.green = await create(TAGS, { name: 'Green' })
  })

  test('jsonapi 10: create with Basic, with an OAuth token and with a key', async () => {
    const plan_id = (await json('GET', '/api/v1/plans')).data[0].id
    const login = { email: 'site@example.org', access: 'write' }
    const user_id = (await json('POST', '/api/v1/users', login)).data.id
    const asked = { name: 'Site', user_id, plan_id, scopes: ['read', 'write'] }
    const client = await json('POST', '/api/v1/oauth/clients', asked)
    const { client_id, client_secret } = client.data
    const form = { grant_type: 'client_credentials', client_id, client_secret }
    const granted = await fetch(`${server().url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    const token = JSON.parse(await granted.text())
    const wrong = await fetch(`${server().url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, client_secret: 'wrong' }),
    })
    assert.equal(wrong.headers.get('content-type'), 'application/json')
    assert.ok(JSON.parse(await wrong.text()).message)
    const credentials: readonly Record<string, string>[] = [
      basic(ADMIN_PASSWORD),
      { authorization: `Bearer ${token.access_token}` },
      { 'x-api-key': keys.write },
      { authorization: `Bearer ${keys.write}` },
    ]
    for (const [n, headers] of credentials.entries()) {
      const body = article({
        title: `Hello ${n}`,
        body: { value: '<p>Hi</p>', format: 'basic_html' },
      })
      const made = await call('POST', ARTICLES, { key: null, headers, body })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      assert.equal(made.headers.get('content-type'), MEDIA_TYPE)
      assert.equal(made.headers.get('location'), made.body.data.links.self.href)
      const { id, attributes } = made.body.data
      assert.equal(attributes.body.processed, '<p>Hi</p>')
      const elsewhere = await json('GET', `/api/v2/articles/${id}`)
      assert.equal(elsewhere.data.title, `Hello ${n}`)
      const location = new URL(made.headers.get('location') ?? '')
      await ok('GET', location.pathname + location.search, { key: null })
    }
  })

  test('jsonapi 11: no credentials 401, too low a level 403, wrong ones 401 also on reads', async () => {
    const body = article({ title: 'Nobody' })
    const open = await call('POST', ARTICLES, { key: null, body })
    assert.equal(open.status, 401)
    assert.ok(open.headers.get('www-authenticate'))
    assert.equal(open.headers.get('content-type'), MEDIA_TYPE)
    await refused(403, 'POST', ARTICLES, { key: keys.read, body })
    const wrong: readonly Record<string, string>[] = [
      basic('wrong password'),
      { authorization: 'Basic nonsense' },
      { authorization: 'Digest x=y' },
      { authorization: 'Bearer' },
      { 'x-api-key': 'sk_wrong' },
    ]
    for (const headers of wrong) await refused(401, 'GET', ARTICLES, { key: null, headers })
    await refused(401, 'DELETE', `${ARTICLES}/${randomUUID()}`, { key: null })
    await refused(403, 'POST', ARTICLES, {
      key: keys.write,
      body: article({ title: 'Old', created: '2001-01-01T00:00:00+00:00' }),
    })
    const old = await ok('POST', ARTICLES, {
      body: article({ title: 'Old', created: '2001-01-01T00:00:00+00:00' }),
    })
    assert.equal(old.data.attributes.created, '2001-01-01T00:00:00+00:00')
  })

  test('jsonapi 12: content types, acceptable types and versions', async () => {
    const text = JSON.stringify(article({ title: 'Typed' }))
    for (const type of [
      'application/json',
      `${MEDIA_TYPE};charset=utf-8`,
      `${MEDIA_TYPE};ext="https://example.org/x"`,
      'text/plain',
    ]) {
      const errors = await refused(415, 'POST', ARTICLES, {
        text,
        headers: { 'content-type': type },
      })
      assert.deepEqual(errors[0].source, { header: 'Content-Type' })
    }
    const bare = await fetch(`${server().url}${ARTICLES}`, {
      method: 'POST',
      headers: { 'x-api-key': keys.write },
      body: new Uint8Array(Buffer.from(text)),
    })
    assert.equal(bare.status, 415)
    const profiled = { 'content-type': `${MEDIA_TYPE};profile="https://example.org/p"` }
    await ok('POST', ARTICLES, { text, headers: profiled })
    await refused(406, 'GET', ARTICLES, { headers: { accept: `${MEDIA_TYPE};foo=1` } })
    await refused(406, 'GET', ARTICLES, { headers: { accept: `${MEDIA_TYPE};ext="x"` } })
    for (const accept of [
      `${MEDIA_TYPE};foo=1, ${MEDIA_TYPE}`,
      '*/*',
      'application/json',
      'text/html',
    ]) {
      assert.equal(
        (await call('GET', ARTICLES, { headers: { accept } })).headers.get('content-type'),
        MEDIA_TYPE,
      )
    }
    const [error] = await refused(406, 'GET', ARTICLES, { headers: { 'x-api-version': '9' } })
    assert.deepEqual(error.meta.supported, ['1'])
    await ok('GET', ARTICLES, { headers: { 'x-api-version': '1' } })
    const profile = `profile="${server().url}/jsonapi/profiles/v1"`
    const shown = await call('GET', ARTICLES, { headers: { accept: `${MEDIA_TYPE};${profile}` } })
    assert.equal(shown.headers.get('content-type'), `${MEDIA_TYPE};${profile}`)
  })

  test('jsonapi 13: each refusal has its status, and validation is told together', async () => {
    const taken = await create('node--article', { title: 'Taken', code: 'A1' })
    const one = `${ARTICLES}/${taken}`
    const bad400: readonly (string | object)[] = [
      '{"data":',
      '{}',
      '[]',
      { data: [] },
      { data: null },
      { data: { attributes: { title: 'x' } } },
      { data: { type: 'node--article' }, relationships: {} },
      '{"data":{"type":"node--article","attributes":{"title":"a\\u0000b"}}}',
      '{"data":{"type":"node--article","attributes":{"title":"\\ud800"}}}',
      { data: { type: 'node--article', relationships: { tags: { data: [{ type: TAGS }] } } } },
    ]
    for (const body of bad400) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      await refused(400, 'POST', ARTICLES, { text })
    }
    await refused(400, 'POST', ARTICLES, { headers: { 'content-type': MEDIA_TYPE } })
    await refused(400, 'PATCH', one, { body: article({ title: 'x' }) })
    for (const headers of [{ 'content-type': MEDIA_TYPE }, {}]) {
      await refused(400, 'DELETE', `${one}/relationships/tags`, { headers })
    }
    await refused(400, 'PATCH', `${one}/relationships/main`, {
      body: linkTo(TAGS, tag.red, tag.blue),
    })

    await refused(409, 'POST', ARTICLES, { body: { data: { type: 'node--post', attributes: {} } } })
    await refused(409, 'PATCH', one, { body: article({}, { id: randomUUID() }) })
    const [same] = await refused(409, 'POST', ARTICLES, {
      body: article({ title: 'x' }, { id: taken }),
    })
    assert.deepEqual(same.source, { pointer: '/data/id' })
    const [unique] = await refused(409, 'POST', ARTICLES, {
      body: article({ title: 'x', code: 'A1' }),
    })
    assert.deepEqual(unique.source, { pointer: '/data/attributes/code' })
    const link = { data: { type: TAGS, id: tag.red } }
    await refused(409, 'POST', `${one}/relationships/main`, { body: link })
    await refused(409, 'DELETE', `${one}/relationships/main`, { body: link })

    const [unknown] = await refused(422, 'POST', ARTICLES, {
      body: article({ title: 'x', nope: 1 }),
    })
    assert.deepEqual(unknown.source, { pointer: '/data/attributes/nope' })
    await refused(422, 'POST', ARTICLES, { body: article({ title: 'x', tags: [] }) })
    const both = await refused(422, 'POST', ARTICLES, {
      body: article({ title: '', body: { value: 'x', format: 'bbcode' } }),
    })
    const pointers = both.map(({ source }: { source: { pointer: string } }) => source.pointer)
    assert.deepEqual(pointers.sort(), ['/data/attributes/body/format', '/data/attributes/title'])
    const absent = await refused(422, 'POST', ARTICLES, { body: article({ nope: 1 }) })
    assert.equal(absent.length, 2)
    const missing = absent.find(({ code }: { code: string }) => code === 'value_required')
    assert.deepEqual([missing.source.pointer, missing.meta.field], ['/data/attributes', 'title'])
    assert.equal(missing.title, 'Unprocessable Content')
    await refused(422, 'POST', ARTICLES, { body: article({ title: 'x' }, { id: 'abc' }) })
    const wrong = { relationships: { tags: linkTo('node--vault', tag.red) } }
    await refused(422, 'POST', ARTICLES, { body: article({ title: 'x' }, wrong) })
    const alien = { description: 'x', image: { type: TAGS, id: tag.red } }
    const [within] = await refused(422, 'POST', ARTICLES, {
      body: article({ title: 'x', seo: alien }),
    })
    assert.equal(within.code, 'wrong_target_type')
    assert.deepEqual(within.source, { pointer: '/data/attributes/seo/image/type' })
    const gone = { relationships: { tags: linkTo(TAGS, randomUUID()) } }
    const [lost] = await refused(404, 'POST', ARTICLES, { body: article({ title: 'x' }, gone) })
    assert.match(lost.source.pointer, /^\/data\/relationships\/tags\/data/)
    const large = article({ title: 'x', body: 'a'.repeat(11 * 1024 * 1024) })
    assert.equal((await call('POST', ARTICLES, { body: large })).status, 413)
    await refused(404, 'PATCH', `${ARTICLES}/${tag.red}`, { body: article({}, { id: tag.red }) })
    const bare = await ok('POST', ARTICLES, {
      body: { data: { type: 'article', attributes: { title: 'Bare' } } },
    })
    assert.equal(bare.data.type, 'node--article')
    const chosen = randomUUID()
    const own = await ok('POST', ARTICLES, { body: article({ title: 'Own id' }, { id: chosen }) })
    assert.equal(own.data.id, chosen)
  })

  test('jsonapi 14: a document can be sent back; stale tags and repeated keys', async () => {
    const id = await create(
      'node--article',
      {
        title: 'Round',
        body: 'plain',
        words: ['x'],
        seo: { description: 'd' },
        published: '2026-01-01T00:00:00.123Z',
      },
      { tags: linkTo(TAGS, tag.red, tag.blue) },
    )
    const path = `${ARTICLES}/${id}`
    const read = await call('GET', path, { key: keys.write })
    const tagged = read.headers.get('etag') ?? ''
    const sent = { data: { ...read.body.data } }
    const same = await call('PATCH', path, { key: keys.write, body: sent })
    assert.equal(same.status, 200, JSON.stringify(same.body))
    assert.deepEqual(same.body.data.attributes, read.body.data.attributes)
    sent.data.attributes = { ...sent.data.attributes, title: 'Rounder' }
    const changed = await ok('PATCH', path, { body: sent, headers: { 'if-match': tagged } })
    assert.equal(changed.data.attributes.title, 'Rounder')
    assert.equal(changed.data.relationships.tags.data.length, 2)
    assert.equal(changed.data.attributes.status, true)
    const [moved] = await refused(412, 'PATCH', path, {
      body: sent,
      headers: { 'if-match': tagged },
    })
    assert.deepEqual(moved.source, { header: 'If-Match' })
    await refused(412, 'DELETE', path, { headers: { 'if-match': tagged } })
    const cleared = { data: { type: 'node--article', id, relationships: { tags: { data: [] } } } }
    assert.deepEqual((await ok('PATCH', path, { body: cleared })).data.relationships.tags.data, [])
    const hidden = await ok('PATCH', path, { body: article({ status: false }, { id }) })
    assert.equal(hidden.data.attributes.status, false)
    await refused(401, 'GET', path, { key: null })
    await ok('PATCH', path, { body: article({ title: 'Still hidden' }, { id }) })
    await refused(401, 'GET', path, { key: null })
    await ok('PATCH', path, { body: article({ status: true }, { id }) })
    assert.equal((await ok('GET', path, { key: null })).data.attributes.title, 'Still hidden')

    const headers = { 'idempotency-key': randomUUID() }
    const body = article({ title: 'Once only' })
    const first = await call('POST', ARTICLES, { body, headers })
    const second = await call('POST', ARTICLES, { body, headers })
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.equal(second.body.data.id, first.body.data.id)
    assert.equal(second.headers.get('idempotent-replayed'), 'true')
    assert.equal(second.headers.get('content-type'), MEDIA_TYPE)
    assert.equal((await ok('GET', `${ARTICLES}?filter[title]=Once only`)).meta.count, 1)
    const [other] = await refused(422, 'POST', ARTICLES, {
      body: article({ title: 'Other' }),
      headers,
    })
    assert.deepEqual(other.source, { header: 'Idempotency-Key' })
  })

  test('jsonapi 14: what is linked and not published stays linked when a document is sent back', async () => {
    const book = async (attributes: object, relationships: object = {}) =>
      create('node--book', attributes, relationships)
    const [live, draft] = [
      await book({ title: 'Live' }),
      await book({ title: 'Draft', status: false }),
    ]
    const sealed = await create('node--sealed', { name: 'Secret' })
    const one = { type: 'node--book', id: draft }
    const choice = {
      books: [draft, live].map((id) => ({ type: 'node--book', id })),
      sealed: { type: 'node--sealed', id: sealed },
    }
    const links = { best: { data: one }, shown: linkTo('node--book', draft, live) }
    const id = await create('node--shelf', { title: 'Shelf', choice }, links)
    const shelf = { data: { type: 'node--shelf', id } }
    const on = await book({ title: 'On it', status: false }, { shelf })
    const path = `/jsonapi/node/shelf/${id}`
    const key = keys.write
    const linked = async (query = '', as: string | null = key) => {
      const { data } = await ok('GET', `${path}${query}`, { key: as })
      const { best, shown, books } = data.relationships
      const inside = data.attributes.choice.books
      return [[best.data ?? []].flat(), shown.data, books.data, inside].map((each) =>
        each.map((target: { id: string }) => target.id),
      )
    }
    const all = [[draft], [draft, live], [on], [draft, live]]
    // Who may not see a draft is not told that there is one.
    for (const as of [null, keys.read])
      assert.deepEqual(await linked('', as), [[], [live], [], [live]])
    assert.deepEqual(await linked(), all)
    assert.deepEqual(await linked('?include=best,shown,books'), all)
    assert.deepEqual(await linked('?resourceVersion=rel:working-copy'), all)
    const { included } = await ok('GET', `${path}?include=shown,books`, { key })
    assert.deepEqual(
      included.map((each: { id: string }) => each.id),
      [live],
    )
    for (const query of ['', '?include=shown', '?include=best,shown,books']) {
      const read = await ok('GET', `${path}${query}`, { key })
      assert.equal((await call('PATCH', path, { key, body: { data: read.data } })).status, 200)
      assert.deepEqual(await linked(), all, query)
    }
    for (const name of ['best', 'shown', 'books']) {
      for (const query of ['', `?include=${name}`]) {
        const at = `${path}/relationships/${name}`
        const { data } = await ok('GET', `${at}${query}`, { key })
        assert.equal((await call('PATCH', at, { key, body: { data } })).status, 204)
        assert.deepEqual(await linked(), all, name + query)
      }
    }
    const kept = await ok('GET', path)
    assert.equal(kept.data.attributes.choice.sealed.id, sealed)
    const former = `resourceVersion=id:${kept.data.attributes.drupal_internal__vid}`
    const titled = { type: 'node--shelf', id, attributes: { title: 'Other' } }
    await ok('PATCH', path, { key, body: { data: titled } })
    for (const query of [former, `${former}&include=best,shown,books`]) {
      assert.deepEqual(await linked(`?${query}`), all, query)
    }
  })

  test('jsonapi 14: who may not publish sends back what was read, live or draft', async () => {
    const key = keys.write
    for (const status of [true, false]) {
      const path = `/jsonapi/node/memo/${await create('node--memo', { title: 'Was', status })}`
      const { data } = await ok('GET', path, { key })
      assert.equal(data.attributes.status, status)
      const body = { data: { ...data, attributes: { ...data.attributes, title: 'Is' } } }
      await ok('PATCH', path, { key, body })
      const working = await ok('GET', `${path}?resourceVersion=rel:working-copy`, { key })
      assert.equal(working.data.attributes.title, 'Is')
      assert.equal((await ok('GET', path)).data.attributes.title, status ? 'Was' : 'Is')
      const { id, type } = data
      const other = { data: { type, id, attributes: { status: !status } } }
      await refused(403, 'PATCH', path, { key, body: other })
    }
  })

  test('jsonapi 14: long lists of links are whole in components, and go into translations whole', async () => {
    for (const length of [500, 500, 20]) {
      const operations = Array.from({ length }, () => ({ op: 'create', data: { name: 'Link' } }))
      await json('POST', '/api/v1/tags/bulk', { operations })
    }
    const made = `/jsonapi/taxonomy_term/tags?filter[name]=Link&fields[${TAGS}]=name&page[offset]=`
    const tags = [...(await ids(`${made}0`)), ...(await ids(`${made}1000`))]
    assert.equal(tags.length, 1_020)
    const { data } = linkTo(TAGS, ...tags)
    const id = await create(
      'node--shelf',
      { title: 'Long', choice: { tags: data } },
      { tags: { data } },
    )
    const path = `/jsonapi/node/shelf/${id}`
    const counted = async (start = '') =>
      (await ok('GET', `${start}${path}`)).data.attributes.choice.tags.length
    assert.equal(await counted(), tags.length)
    const read = await ok('GET', path)
    await ok('PATCH', path, { body: { data: read.data } })
    assert.equal(await counted(), tags.length)
    const body = { data: { type: 'node--shelf', id, attributes: { title: 'Lang' } } }
    await ok('PATCH', `/da${path}`, { body })
    assert.equal(await counted('/da'), tags.length)
    const { meta } = await ok('GET', `/da${path}/tags?page[limit]=1`)
    assert.equal(meta.count, tags.length)
  })

  test('jsonapi 15: DELETE ignores type and body, and the entry is gone', async () => {
    const id = await create('node--article', { title: 'Short lived' })
    const gone = await call('DELETE', `${ARTICLES}/${id}`, { body: { data: { type: 'x', id } } })
    assert.equal(gone.status, 204)
    assert.equal(gone.body, '')
    assert.equal(gone.headers.get('content-type'), null)
    await refused(404, 'GET', `${ARTICLES}/${id}`)
    await refused(404, 'DELETE', `${ARTICLES}/${id}`)
  })

  test('jsonapi 16: relationships are added to, replaced and taken from', async () => {
    const id = await create('node--article', { title: 'Linked' }, { tags: linkTo(TAGS, tag.red) })
    const at = `${ARTICLES}/${id}/relationships/tags`
    const linked = async () => (await ok('GET', at)).data.map((each: { id: string }) => each.id)
    const more = await call('POST', at, { body: linkTo(TAGS, tag.blue) })
    assert.equal(more.status, 200)
    assert.equal(more.body.data.length, 2)
    const all = await call('POST', at, { body: linkTo(TAGS, tag.blue, tag.red) })
    assert.equal(all.status, 204)
    assert.deepEqual(await linked(), [tag.red, tag.blue])
    assert.equal((await call('DELETE', at, { body: linkTo(TAGS, tag.green, tag.red) })).status, 204)
    assert.deepEqual(await linked(), [tag.blue])
    assert.equal((await call('PATCH', at, { body: linkTo(TAGS, tag.green, tag.red) })).status, 204)
    assert.deepEqual(await linked(), [tag.green, tag.red])
    await refused(404, 'POST', at, { body: linkTo(TAGS, randomUUID()) })
    assert.deepEqual(await linked(), [tag.green, tag.red])
    const main = `${ARTICLES}/${id}/relationships/main`
    assert.equal(
      (await call('PATCH', main, { body: { data: { type: TAGS, id: tag.red } } })).status,
      204,
    )
    assert.equal((await ok('GET', main)).data.id, tag.red)
    assert.equal((await call('PATCH', main, { body: { data: null } })).status, 204)
    assert.equal((await ok('GET', main)).data, null)
    const box = await create(
      'node--box',
      { title: 'Box' },
      { owner: { data: { type: TAGS, id: tag.red } } },
    )
    await refused(422, 'PATCH', `/jsonapi/node/box/${box}/relationships/owner`, {
      body: { data: null },
    })
  })

  test('jsonapi 16: a relationship to more than a thousand is read in pages, and nothing of it is lost', async () => {
    const id = await create('node--article', { title: 'Discussed' })
    const { data } = await ok('GET', `${ARTICLES}/${id}`)
    const comment = { body: 'x', article_id: data.attributes.drupal_internal__nid }
    for (const count of [500, 500, 20]) {
      const operations = Array.from({ length: count }, () => ({ op: 'create', data: comment }))
      assert.equal((await json('POST', '/api/v1/comments/bulk', { operations })).meta.failed, 0)
    }
    const at = `${ARTICLES}/${id}/relationships/comments`
    const counted = async () =>
      (await ok('GET', `${ARTICLES}/${id}/comments?page[limit]=1`)).meta.count
    const linkage = []
    for (let next = `${server().url}${at}`; next; ) {
      const page = await ok('GET', next.slice(server().url.length))
      linkage.push(...page.data)
      next = page.links.next?.href
    }
    assert.equal(new Set(linkage.map((each) => each.id)).size, 1_020)
    const piece = await ok('GET', `${at}?page[offset]=1019&page[limit]=5&include=comments`)
    assert.deepEqual(
      [piece.data, piece.included.map((each: { id: string }) => each.id)],
      [linkage.slice(1_019), [linkage[1_019].id]],
    )
    const whole = await ok('GET', `${ARTICLES}/${id}?include=comments`)
    assert.deepEqual(Object.keys(whole.data.relationships.comments), ['links'])
    assert.deepEqual(whole.included, [])
    assert.equal(
      (await call('PATCH', `${ARTICLES}/${id}`, { body: { data: whole.data } })).status,
      200,
    )
    assert.equal(await counted(), 1_020)
    assert.equal(
      (await call('DELETE', at, { body: { data: linkage.slice(0, 1_010) } })).status,
      204,
    )
    assert.equal(await counted(), 10)
    // There is one page of what there is one of.
    const author = await ok('GET', `${ARTICLES}/${id}/uid?page[offset]=1`)
    assert.equal(author.data.type, 'user--user')
    const main = { data: { type: TAGS, id: tag.red } }
    await call('PATCH', `${ARTICLES}/${id}/relationships/main`, { body: main })
    assert.equal((await ok('GET', `${ARTICLES}/${id}/main?page[offset]=1`)).data.id, tag.red)
  })

  test('jsonapi 17: a picture is uploaded, attached and read back', async () => {
    const id = await create('node--article', { title: 'With cover' })
    const octets = (name: string) => ({
      'content-type': 'application/octet-stream',
      'content-disposition': `file; filename="${name}"`,
    })
    const loose = await call('POST', `${ARTICLES}/cover`, { text: PNG, headers: octets('dot.png') })
    assert.equal(loose.status, 201, JSON.stringify(loose.body))
    const { attributes, type } = loose.body.data
    assert.deepEqual(
      [type, attributes.filename, attributes.filemime, attributes.filesize],
      ['file--file', 'dot.png', 'image/png', PNG.length],
    )
    const link = { data: { type: 'media--image', id: loose.body.data.id } }
    await ok('PATCH', `${ARTICLES}/${id}/relationships/cover`, { body: link })
    const shown = await ok('GET', `${ARTICLES}/${id}?include=cover.field_media_image`, {
      key: null,
    })
    const [media, file] = shown.included
    assert.deepEqual([media.type, file.type], ['media--image', 'file--file'])
    const { meta } = media.relationships.field_media_image.data
    assert.deepEqual([meta.width, meta.height], [1, 1])
    const bytes = await fetch(server().url + file.attributes.uri.url)
    assert.equal((await bytes.arrayBuffer()).byteLength, PNG.length)
    const attached = await call('POST', `${ARTICLES}/${id}/gallery`, {
      text: PNG,
      headers: octets('b.png'),
    })
    assert.equal(attached.status, 200)
    assert.equal(attached.body.data[0].attributes.filename, 'b.png')
    assert.equal((await ok('GET', `${ARTICLES}/${id}/gallery`)).data[0].attributes.name, 'b.png')
    const key = { 'idempotency-key': randomUUID() }
    const keyed = { text: PNG, headers: { ...octets('once.png'), ...key } }
    const [made, again] = [
      await call('POST', `${ARTICLES}/cover`, keyed),
      await call('POST', `${ARTICLES}/cover`, keyed),
    ]
    assert.deepEqual([again.status, again.body.data.id], [201, made.body.data.id])
    const otherName = { ...keyed, headers: { ...octets('other.png'), ...key } }
    await refused(422, 'POST', `${ARTICLES}/cover`, otherName)
    const longer = { ...keyed, text: Buffer.concat([PNG, Buffer.alloc(1)]) }
    await refused(422, 'POST', `${ARTICLES}/cover`, longer)
    await refused(404, 'POST', `${ARTICLES}/nope`, { text: PNG, headers: octets('a.png') })
    await refused(403, 'POST', `${ARTICLES}/title`, { text: PNG, headers: octets('a.png') })
    const noName = { 'content-type': 'application/octet-stream' }
    for (const path of [`${ARTICLES}/cover`, `${ARTICLES}/${id}/cover`]) {
      for (const headers of [octets('../a.png'), noName]) {
        const [error] = await refused(400, 'POST', path, { text: PNG, headers })
        assert.deepEqual(error.source, { header: 'Content-Disposition' })
      }
      const [error] = await refused(415, 'POST', path, { text: '{}' })
      assert.deepEqual(error.source, { header: 'Content-Type' })
    }
    await refused(422, 'POST', `${ARTICLES}/cover`, {
      text: Buffer.from('text'),
      headers: octets('a.txt'),
    })
    const named = { data: { type: 'media--image', id: media.id, attributes: { name: 'Dot' } } }
    assert.equal(
      (await ok('PATCH', `/jsonapi/media/image/${media.id}`, { body: named })).data.attributes.name,
      'Dot',
    )
  })

  test('jsonapi 14: an item of the media library is changed by whoever saw it last, and keeps its file', async () => {
    const octets = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="dot.png"',
    }
    const upload = async () =>
      (await call('POST', `${ARTICLES}/cover`, { text: PNG, headers: octets })).body.data.id
    const [id, other] = [await upload(), await upload()]
    const path = `/jsonapi/media/image/${id}`
    const item = (attributes: object, more: object = {}) => ({
      data: { type: 'media--image', id, attributes, ...more },
    })
    const file = (data: unknown) => ({ relationships: { field_media_image: { data } } })
    const read = await call('GET', path)
    const stale = { 'if-match': read.headers.get('etag') ?? '' }
    assert.match(stale['if-match'], /^"/)
    const same = await call('PATCH', path, { body: read.body, headers: stale })
    assert.equal(same.status, 200, JSON.stringify(same.body))
    const body = item({ name: 'Mine' })
    const headers = { 'if-match': same.headers.get('etag') ?? '' }
    assert.equal((await call('PATCH', path, { body, headers })).status, 200)
    for (const [method, place] of [
      ['PATCH', path],
      ['DELETE', path],
      ['DELETE', `/jsonapi/file/file/${id}`],
    ] as const) {
      const [error] = await refused(412, method, place, { body, headers: stale })
      assert.deepEqual(error.source, { header: 'If-Match' })
    }
    for (const [pointer, wrong] of [
      ['/data/attributes/name', item({ name: null })],
      ['/data/attributes/status', item({ status: false })],
      ['/data/relationships/nope', item({}, { relationships: { nope: { data: null } } })],
      [
        '/data/relationships/field_media_image/data/id',
        item({}, file({ type: 'file--file', id: other })),
      ],
      ['/data/relationships/field_media_image/data/type', item({}, file({ type: TAGS, id }))],
    ] as const) {
      const [error] = await refused(422, 'PATCH', path, { body: wrong })
      assert.deepEqual(error.source, { pointer })
    }
    await refused(400, 'PATCH', path, { body: item({}, file(null)) })
    const chosen = item({ name: 'x' }, { id: randomUUID(), ...file({ type: 'file--file', id }) })
    const [own] = await refused(422, 'POST', '/jsonapi/media/image', { body: chosen })
    assert.deepEqual(own.source, { pointer: '/data/id' })
    const { attributes } = (await ok('GET', path)).data
    assert.deepEqual([attributes.name, attributes.status], ['Mine', true])
  })

  test('jsonapi 9: paths are translated, moved ones with where they went', async () => {
    const id = await create('node--article', { title: 'Old way' })
    const translate = async (path: string, key: string | null = null) =>
      call('GET', `/router/translate-path?path=${encodeURIComponent(path)}`, { key })
    const found = await translate('/articles/old-way')
    assert.equal(found.status, 200)
    assert.match(found.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(found.body.entity.uuid, id)
    assert.equal(found.body.jsonapi.individual, `${server().url}${ARTICLES}/${id}`)
    assert.equal(found.body.label, 'Old way')
    assert.equal(found.body.redirect, undefined)
    assert.equal((await translate(`${server().url}/articles/old-way`)).status, 200)
    const home = await json('POST', '/api/v1/articles', { title: 'Home', is_root: true })
    for (const path of ['/', server().url, `${server().url}/`]) {
      assert.deepEqual((await translate(path)).body.entity?.uuid, home.data.document_id, path)
    }
    await json('DELETE', `/api/v1/articles/${home.data.id}`)
    await ok('PATCH', `${ARTICLES}/${id}`, { body: article({ slug: 'new-way' }, { id }) })
    const moved = await translate('/articles/old-way')
    assert.deepEqual(moved.body.redirect, [
      { from: '/articles/old-way', to: '/articles/new-way', status: '301' },
    ])
    assert.equal(moved.body.entity.path, '/articles/new-way')
    const lost = await translate('/articles/nowhere')
    assert.equal(lost.status, 404)
    assert.ok(lost.body.message && lost.body.details)
    assert.equal((await call('GET', '/router/translate-path')).status, 400)
    await ok('PATCH', `${ARTICLES}/${id}`, { body: article({ status: false }, { id }) })
    assert.equal((await translate('/articles/new-way')).status, 403)
    assert.equal((await translate('/articles/new-way', keys.write)).status, 200)
  })

  test('jsonapi 11: settings close reading and writing at once', async () => {
    const set = (members: object) => json('PATCH', '/api/v1/settings/jsonapi', members)
    await set({ PublicRead: false })
    try {
      await refused(401, 'GET', ARTICLES, { key: null })
      assert.equal((await ok('GET', '/jsonapi', { key: null })).links['node--article'], undefined)
      await ok('GET', ARTICLES, { key: keys.read })
      await set({ PublicRead: true, ReadOnly: true })
      const closed = await call('POST', ARTICLES, { body: article({ title: 'x' }) })
      assert.equal(closed.status, 405)
      assert.equal(closed.headers.get('allow'), 'GET, HEAD')
    } finally {
      await set({ PublicRead: null, ReadOnly: null })
    }
  })
})
