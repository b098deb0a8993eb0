import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { beginMinute, until } from '#test-kit'
import { cmsSuite, picture } from './support.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

export const reading = cmsSuite('reading the CMS dialect', (cms) => {
  const { call, ok, create, createMany, ids, keys, remove, removeMany } = cms
  const at = { ada: 0, bob: 0, vault: 0, file: 0, cranes: 0, bare: 0, comments: [0] }

  before(async () => {
    const form = new FormData()
    form.append('files', picture())
    form.append('fileInfo', JSON.stringify({ alternativeText: 'A dot', caption: 'c' }))
    at.file = (await ok('POST', '/api/upload', { form }))[0].id
    at.ada = await create('authors', { name: 'Ada', avatar: at.file })
    at.bob = await create('authors', { name: 'Bob' })
    at.vault = await create('vaults', { name: 'gold' })
    at.comments = [
      await create('comments', { body: 'first', stars: 1 }),
      await create('comments', { body: 'second', stars: 5 }),
      await create('comments', { body: 'third', stars: 3 }),
    ]
    at.cranes = await create('articles', {
      title: 'Harbour cranes',
      kind: 'news',
      rank: 4,
      secret: 'hidden',
      pin: 'hidden too',
      cover: at.file,
      gallery: [at.file],
      author: at.ada,
      vault: at.vault,
      comments: at.comments,
      seo: { description: 'All cranes', image: at.file, reviewer: at.bob },
      blocks: [{ heading: 'One', image: at.file }, { heading: 'Two' }],
    })
    at.bare = await create('articles', { title: 'Bare' })
  })

  const cranes = async (query: string, headers = {}) =>
    (await ok('GET', `/api/articles/${at.cranes}?${query}`, { headers })).data

  test('cms-rest 2: one entry has id and attributes and nothing else', async () => {
    const body = await ok('GET', `/api/articles/${at.bare}`, { key: null })
    const { createdAt, updatedAt, publishedAt, ...rest } = body.data.attributes
    for (const time of [createdAt, updatedAt, publishedAt]) assert.match(time, TIME)
    const attributes = {
      title: 'Bare',
      slug: 'bare',
      summary: null,
      kind: null,
      code: null,
      rank: null,
      locale: 'en',
    }
    assert.deepEqual(rest, attributes)
    assert.deepEqual(Object.keys(body), ['data', 'meta'])
    assert.deepEqual(Object.keys(body.data), ['id', 'attributes'])
    assert.deepEqual(body.meta, {})
    const order = ['title', 'slug', 'summary', 'kind', 'code', 'rank']
    assert.deepEqual(Object.keys(body.data.attributes).slice(0, 6), order)
  })

  test('cms-rest 2: a list has data and pagination; types without drafts and languages say less', async () => {
    const body = await ok('GET', '/api/authors?sort=id')
    assert.deepEqual(body.meta, { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 2 } })
    assert.deepEqual(
      body.data.map((entry: object) => Object.keys(entry)),
      [
        ['id', 'attributes'],
        ['id', 'attributes'],
      ],
    )
    assert.deepEqual(Object.keys(body.data[0].attributes), ['name', 'createdAt', 'updatedAt'])
  })

  test('cms-rest 2: an entry in a list is, member by member, the entry asked for by itself', async () => {
    for (const headers of [{}, { 'response-format': 'flat' }]) {
      for (const populate of ['populate=author', 'populate[author][populate]=avatar', 'sort=id']) {
        const { data } = await ok('GET', `/api/articles?${populate}`, { headers })
        const texts = data.map((entry: object) => JSON.stringify(entry))
        for (const id of [at.cranes, at.bare]) {
          const one = await ok('GET', `/api/articles/${id}?${populate}`, { headers })
          assert.ok(texts.includes(JSON.stringify(one.data)), `${texts} ${JSON.stringify(one)}`)
        }
      }
    }
  })

  test('cms-rest 4: the same list with other values finds what these ask for', async () => {
    for (const rank of [3, 4, 5, 4]) {
      const { data } = await ok('GET', `/api/articles?filters[rank][$gte]=${rank}`)
      assert.equal(data.length, rank <= 4 ? 1 : 0, String(rank))
    }
    const refused = await call('GET', '/api/articles?filters[rank][$gte]=high')
    assert.equal(refused.status, 400)
  })

  test('cms-rest 2: populated relation, media, component and what is empty', async () => {
    const { attributes } = await cranes('populate=author,comments,cover,gallery,seo,blocks,vault')
    assert.equal(attributes.author.data.id, at.ada)
    assert.equal(attributes.author.data.attributes.name, 'Ada')
    assert.deepEqual(Object.keys(attributes.author), ['data'])
    assert.deepEqual(Object.keys(attributes.author.data), ['id', 'attributes'])
    assert.deepEqual(
      attributes.comments.data.map(({ id }: { id: number }) => id),
      at.comments,
    )
    const file = attributes.cover.data
    assert.equal(file.id, at.file)
    assert.deepEqual(Object.keys(file.attributes).sort(), [
      'alternativeText',
      'caption',
      'createdAt',
      'ext',
      'formats',
      'hash',
      'height',
      'mime',
      'name',
      'previewUrl',
      'provider',
      'size',
      'updatedAt',
      'url',
      'width',
    ])
    assert.equal(file.attributes.alternativeText, 'A dot')
    assert.equal(file.attributes.url, `/uploads/${file.attributes.hash}.png`)
    assert.deepEqual(attributes.gallery, { data: [file] })
    assert.deepEqual(attributes.seo, { id: attributes.seo.id, description: 'All cranes' })
    assert.ok(Number.isInteger(attributes.seo.id))
    assert.deepEqual(
      attributes.blocks.map(({ id: _, ...rest }: { id: number }) => rest),
      [{ heading: 'One' }, { heading: 'Two' }],
    )

    const bare = await ok('GET', `/api/articles/${at.bare}?populate=*`)
    const parts = bare.data.attributes
    assert.deepEqual(parts.author, { data: null })
    assert.deepEqual(parts.cover, { data: null })
    assert.deepEqual(parts.comments, { data: [] })
    assert.deepEqual(parts.gallery, { data: [] })
    assert.equal(parts.seo, null)
    assert.deepEqual(parts.blocks, [])
  })

  test('cms-rest 2: more than 100 related entries say so, 100 do not', async () => {
    const author = await create('authors', { name: 'Busy' })
    const items = Array.from({ length: 100 }, (_, n) => ({ title: `Busy ${n}`, author }))
    const made = await createMany('articles', items)
    const articles = async () => {
      const { data } = await ok('GET', `/api/authors/${author}?populate=articles`)
      return data.attributes.articles
    }
    assert.deepEqual(Object.keys(await articles()), ['data'])
    made.push(await create('articles', { title: 'One more', author }))
    const cut = await articles()
    assert.equal(cut.data.length, 100)
    assert.deepEqual(cut.meta, { pagination: { start: 0, limit: 100, total: 101 } })
    await removeMany('articles', made)
    await remove('authors', author)
  })

  test('cms-rest 4: names, lists, dots, * and deep', async () => {
    const shown = async (query: string) => Object.keys((await cranes(query)).attributes)
    const system = ['createdAt', 'updatedAt', 'publishedAt', 'locale']
    const only = (names: string[]) => names.filter((name) => !system.includes(name)).slice(6)
    assert.deepEqual(only(await shown('populate=author,comments')), ['author', 'comments'])
    assert.deepEqual(only(await shown('populate[0]=author&populate[1]=comments')), [
      'author',
      'comments',
    ])
    const dots = (await cranes('populate=author.avatar,seo.reviewer')).attributes
    assert.equal(dots.author.data.attributes.avatar.data.id, at.file)
    assert.equal(dots.seo.reviewer.data.id, at.bob)
    const all = only(await shown('populate=*'))
    assert.deepEqual(all.sort(), [
      'author',
      'blocks',
      'comments',
      'cover',
      'gallery',
      'localizations',
      'seo',
      'vault',
    ])
    const star = (await cranes('populate=*')).attributes
    assert.equal(star.author.data.attributes.avatar, undefined, '* is one level')
    const both = (await cranes('populate[0]=*&populate[1]=author.avatar')).attributes
    assert.equal(both.author.data.attributes.avatar.data.id, at.file)
    const deep = (await cranes('populate=deep')).attributes
    assert.equal(deep.seo.reviewer.data.attributes.avatar.data, null, 'three levels')
    assert.equal(deep.author.data.attributes.articles, undefined, 'no type twice on a branch')
    assert.deepEqual((await cranes('populate=deep,9')).attributes, deep)
    const shallow = (await cranes('populate=deep,1')).attributes
    assert.equal(shallow.seo.reviewer, undefined)
    const one = (await cranes('populate[author]=true')).attributes
    assert.equal(one.author.data.id, at.ada)
  })

  test('cms-rest 4: options of a level', async () => {
    const comments = async (options: string) => {
      const { attributes } = await cranes(options.replaceAll('~', 'populate[comments]'))
      return attributes.comments.data
    }
    const bodies = (list: { attributes: { body: string } }[]) =>
      list.map(({ attributes }) => attributes.body)
    assert.deepEqual(bodies(await comments('~[filters][stars][$gte]=3')), ['second', 'third'])
    assert.deepEqual(bodies(await comments('~[sort]=stars:desc')), ['second', 'third', 'first'])
    assert.deepEqual(bodies(await comments('~[sort][0]=stars:asc&~[start]=1&~[limit]=1')), [
      'third',
    ])
    assert.deepEqual((await comments('~[fields][0]=stars'))[0].attributes, { stars: 1 })
    const nested = await comments('~[populate][article][fields][0]=title')
    assert.deepEqual(nested[0].attributes.article.data, {
      id: at.cranes,
      attributes: { title: 'Harbour cranes' },
    })
  })

  test('cms-rest 4: a fourth level is refused with depth and limit', async () => {
    const path = 'populate=comments.article.author.avatar'
    const { status, body } = await call('GET', `/api/articles?${path}`)
    assert.equal(status, 400)
    assert.equal(body.error.name, 'ValidationError')
    assert.match(body.error.message, /4.*3/)
    await ok('PATCH', '/api/v1/settings/content', { body: { maxDepth: 4 } })
    assert.equal((await call('GET', `/api/articles?${path}`)).status, 200)
    await ok('PATCH', '/api/v1/settings/content', { body: { maxDepth: null } })
    assert.equal((await call('GET', `/api/articles?${path}`)).status, 400)
  })

  test('cms-rest 5: sizes are lowered and shown, bad ones refused', async () => {
    const items = Array.from({ length: 105 }, (_, n) => ({ name: `n${n}`, whole: n }))
    const made = await createMany('samples', items)
    const page = async (query: string) => (await ok('GET', `/api/samples?${query}`)).meta.pagination
    assert.deepEqual(await page('pagination[pageSize]=250'), {
      page: 1,
      pageSize: 100,
      pageCount: 2,
      total: 105,
    })
    const rest = await ok('GET', '/api/samples?pagination[pageSize]=250&pagination[page]=2')
    assert.equal(rest.data.length, 5)
    assert.deepEqual(await page('pagination[pageSize]=0'), {
      page: 1,
      pageSize: 1,
      pageCount: 105,
      total: 105,
    })
    assert.deepEqual(await page('pagination[page]=0&pagination[pageSize]=50'), {
      page: 1,
      pageSize: 50,
      pageCount: 3,
      total: 105,
    })
    const past = await ok('GET', '/api/samples?pagination[page]=99')
    assert.deepEqual(past.data, [])
    assert.deepEqual(await page('pagination[start]=100&pagination[limit]=-1'), {
      start: 100,
      limit: 100,
      total: 105,
    })
    assert.deepEqual(await page('pagination[withCount]=false'), { page: 1, pageSize: 25 })
    assert.deepEqual(await page('pagination[start]=1&pagination[withCount]=0'), {
      start: 1,
      limit: 25,
    })
    assert.equal((await page('filters[whole]=-1')).pageCount, 0)
    for (const bad of [
      'pagination[page]=abc',
      'pagination[page]=1&pagination[start]=1',
      'pagination[withCount]=maybe',
      'pagination[limit]=x',
    ]) {
      const { status, body } = await call('GET', `/api/samples?${bad}`)
      assert.equal(status, 400, bad)
      assert.match(body.error.name, /^(Validation|Pagination)Error$/)
    }
    await removeMany('samples', made)
  })

  test('cms-rest 12: what is unknown, private or hostile is refused by name and nothing falls over', async () => {
    for (const [query, name] of [
      ['filters[nothing]=1', 'nothing'],
      ['filters[author][nothing]=1', 'nothing'],
      ['filters[secret][$eq]=hidden', 'secret'],
      ['filters[pin][$notNull]=true', 'pin'],
      ['filters[title][$like]=x', 'like'],
      ['sort=nothing', 'nothing'],
      ['sort=secret', 'secret'],
      ['sort=pin', 'pin'],
      ['fields=nothing', 'nothing'],
      ['fields=secret', 'secret'],
      ['fields=pin', 'pin'],
      ['fields=author', 'author'],
      ['populate=nothing', 'nothing'],
      ['filters[__proto__][polluted]=1', '__proto__'],
      ['filters[constructor][prototype][x]=1', 'constructor'],
      ['filters[$or][500][title]=x', ''],
      [`filters${'[$and]'.repeat(30)}[title]=x`, ''],
      ['filters[rank]=abc', 'rank'],
    ] as const) {
      const { status, body } = await call('GET', `/api/articles?${query}`)
      assert.equal(status, 400, `${query}: ${JSON.stringify(body)}`)
      assert.equal(body.data, null)
      assert.equal(body.error.name, 'ValidationError')
      assert.ok(body.error.message.includes(name), `${query}: ${body.error.message}`)
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    assert.equal((await call('GET', '/api/articles?unknown[x]=1&api_key=')).status, 200)
  })

  test('cms-rest 12: whatever a query says, it is answered or refused', async () => {
    const FIELDS = [
      'id',
      'title',
      'rank',
      'kind',
      'author',
      'author.name',
      'cover',
      'seo',
      'comments',
      'createdAt',
      'locale',
      'documentId',
      'nothing',
      'secret',
      '',
      '$eq',
      'blocks.heading',
    ]
    const VALUES = [
      '',
      '1',
      '-1',
      '0',
      'x',
      '9007199254740991',
      '9007199254740993',
      '99999999999999999999',
      '2147483648',
      '1e309',
      'null',
      '*',
      '%25',
      "'",
      '%00',
      '%F0%9F%98%80',
      '%zz',
      'true',
      '2024-02-30',
      '0001-01-01T00:00:00Z',
      '[',
      'deep,99999999999',
      'a.b.c.d.e',
    ]
    const OPERATORS = [
      '$eq',
      '$ne',
      '$lt',
      '$gte',
      '$in',
      '$notIn',
      '$contains',
      '$startsWithi',
      '$between',
      '$null',
      '$not',
      '$or',
      '$bogus',
      '0',
      '',
    ]
    const PLACES = [
      '/api/articles',
      '/api/articles/1',
      '/api/home',
      '/api/upload/files',
      '/api/comments',
      '/api/articles/9007199254740991',
      '/api/upload/files/9007199254740991',
    ]
    let state = 7
    const pick = (list: readonly string[]): string => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return list[Math.floor(state / 65_536) % list.length] ?? ''
    }
    const nested = (name: string) =>
      name
        .split('.')
        .map((step) => `[${step}]`)
        .join('')
    const parts: (() => string)[] = [
      () => `filters${nested(pick(FIELDS))}[${pick(OPERATORS)}]=${pick(VALUES)}`,
      () => `filters${nested(pick(FIELDS))}=${pick(VALUES)}`,
      () => `filters[$or][0]${nested(pick(FIELDS))}[${pick(OPERATORS)}][0]=${pick(VALUES)}`,
      () => `sort=${pick(FIELDS)}:${pick(['asc', 'desc', 'x'])}`,
      () => `fields=${pick(FIELDS)}`,
      () => `populate=${pick([...FIELDS, ...VALUES])}`,
      () =>
        `populate${nested(pick(FIELDS))}[${pick(['filters', 'sort', 'limit', 'start', 'fields', 'populate'])}]=${pick(VALUES)}`,
      () =>
        `pagination[${pick(['page', 'pageSize', 'start', 'limit', 'withCount'])}]=${pick(VALUES)}`,
      () =>
        `${pick(['after_id', 'before_id', 'limit', 'locale', 'status', '_q', 'fallbackLocale'])}=${pick(VALUES)}`,
    ]
    const seen = new Map<number, number>()
    for (let n = 0; n < 400; n++) {
      // One bad part is enough for a refusal, so most questions have a single one.
      const query = Array.from({ length: n % 3 === 0 ? 1 + (n % 2) * 2 : 1 }, () =>
        parts[(n * 7 + state) % parts.length]?.(),
      )
      const path = `${pick(PLACES)}?${query.join('&')}`
      const { status, body } = await call('GET', path)
      assert.ok([200, 400, 404].includes(status), `${path}: ${status} ${JSON.stringify(body)}`)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
    for (const status of [200, 400]) assert.ok((seen.get(status) ?? 0) > 40, `${[...seen]}`)
  })

  test('cms-rest 14: the flat form at every level', async () => {
    const headers = { 'response-format': 'flat' }
    const query = 'populate[0]=author.avatar&populate[1]=comments&populate[2]=seo.image'
    const entry = await cranes(`${query}&populate[3]=gallery&populate[4]=blocks`, headers)
    assert.equal(entry.attributes, undefined)
    assert.match(entry.documentId, /^[0-9a-f-]{36}$/)
    assert.equal(entry.title, 'Harbour cranes')
    assert.equal(entry.author.name, 'Ada')
    assert.match(entry.author.documentId, /^[0-9a-f-]{36}$/)
    assert.equal(entry.author.avatar.alternativeText, 'A dot')
    assert.equal(entry.comments[1].body, 'second')
    assert.equal(entry.seo.image.id, at.file)
    assert.equal(entry.gallery[0].id, at.file)
    assert.equal(entry.blocks[0].heading, 'One')
    const list = await ok('GET', '/api/articles?populate=author', { headers })
    assert.equal(list.data.find(({ id }: { id: number }) => id === at.bare).author, null)
    assert.ok(list.meta.pagination)
    const byDocument = await ok('GET', `/api/articles/${entry.documentId}`)
    assert.equal(byDocument.data.id, at.cranes)
  })

  test('cms-rest 15: a second request with the tag gives 304, and headers say who may keep it', async () => {
    const first = await call('GET', '/api/articles', { key: null })
    const tag = first.headers.get('etag') ?? ''
    assert.match(tag, /^W\//)
    assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(first.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
    const vary = first.headers.get('vary') ?? ''
    for (const name of ['Accept', 'Authorization', 'X-API-Key', 'Response-Format']) {
      assert.ok(vary.split(', ').includes(name), vary)
    }
    assert.equal(first.headers.get('access-control-allow-origin'), '*')
    const again = await call('GET', '/api/articles', {
      key: null,
      headers: { 'if-none-match': tag },
    })
    assert.equal(again.status, 304)
    const keyed = await call('GET', '/api/articles', { key: keys.read })
    assert.equal(keyed.headers.get('cache-control'), 'private, no-cache')
    const head = await call('HEAD', '/api/articles', { key: null })
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('etag'), tag)
    const id = await create('articles', { title: 'Fresh' })
    const changed = await call('GET', '/api/articles', {
      key: null,
      headers: { 'if-none-match': tag },
    })
    assert.equal(changed.status, 200)
    await ok('DELETE', `/api/articles/${id}`)
  })

  test('cms-rest 16: without a key a closed type is left out under * and refused by name', async () => {
    const anonymous = { key: null }
    const path = `/api/articles/${at.cranes}`
    const open = await ok('GET', `${path}?populate=*`, anonymous)
    assert.equal(open.data.attributes.vault, undefined)
    assert.ok(open.data.attributes.author)
    const deep = await ok('GET', `${path}?populate=deep`, anonymous)
    assert.equal(deep.data.attributes.vault, undefined)
    for (const query of ['populate=vault', 'filters[vault][name]=gold', 'sort=vault.name']) {
      const { status, body } = await call('GET', `/api/articles?${query}`, anonymous)
      assert.equal(status, 401, query)
      assert.equal(body.error.name, 'UnauthorizedError')
      assert.equal(body.error.message, 'API key required')
    }
    assert.equal((await call('GET', '/api/vaults', anonymous)).status, 401)
    const keyed = await ok('GET', `${path}?populate=vault`, { key: keys.read })
    assert.equal(keyed.data.attributes.vault.data.attributes.name, 'gold')
  })

  test('paths: trailing slash, unknown ones, other methods', async () => {
    assert.equal((await call('GET', '/api/articles/', { key: null })).status, 200)
    assert.equal((await call('GET', `/api/articles/${at.bare}/`, { key: null })).status, 200)
    for (const path of [
      '/api/nothing',
      '/api/article',
      '/api/articles/abc',
      '/api/articles/999999',
      '/api/articles/1/2/3',
    ]) {
      const { status, body } = await call('GET', path, { key: null })
      assert.equal(status, 404, path)
      assert.equal(body.data, null)
      assert.deepEqual([body.error.status, body.error.name], [404, 'NotFoundError'])
      assert.deepEqual(body.error.details, {})
    }
    for (const [method, path, allow] of [
      ['PATCH', '/api/articles', 'GET, HEAD, POST'],
      ['PUT', '/api/articles', 'GET, HEAD, POST'],
      ['POST', `/api/articles/${at.bare}`, 'GET, HEAD, PUT, DELETE'],
      ['POST', '/api/home', 'GET, HEAD, PUT, DELETE'],
      ['GET', `/api/articles/${at.bare}/localizations`, 'POST'],
      ['GET', '/api/upload', 'POST'],
      ['POST', '/api/upload/files', 'GET, HEAD'],
      ['DELETE', '/api/i18n/locales', 'GET, HEAD'],
      ['POST', '/api/content-type-builder/content-types', 'GET, HEAD'],
      ['PUT', '/api/content-type-builder/components/default.seo', 'GET, HEAD'],
    ] as const) {
      const { status, body, headers } = await call(method, path)
      assert.equal(status, 405, `${method} ${path}`)
      assert.equal(body.error.name, 'MethodNotAllowedError')
      assert.equal(headers.get('allow'), allow)
    }
  })

  test('a key that is present is checked on public reads too', async () => {
    const { status, body } = await call('GET', '/api/articles', { key: 'sk_wrong' })
    assert.equal(status, 401)
    assert.equal(body.error.message, 'Invalid API key')
    const low = await call('POST', '/api/articles', { key: keys.read, body: { data: {} } })
    assert.equal(low.status, 403)
    assert.equal(low.body.error.name, 'ForbiddenError')
    assert.equal(low.body.error.details.code, 'forbidden')
    const none = await call('POST', '/api/articles', { key: null, body: { data: {} } })
    assert.equal(none.status, 401)
  })

  test('search, sort through relations and default order', async () => {
    assert.deepEqual(await ids('/api/articles?_q=CRANE'), [at.cranes])
    assert.deepEqual(await ids('/api/articles?_q='), [at.cranes, at.bare])
    assert.deepEqual(await ids('/api/articles?sort=author.name:desc'), [at.cranes, at.bare])
    assert.deepEqual(await ids('/api/articles?sort[author][name]=asc'), [at.bare, at.cranes])
    assert.deepEqual(await ids('/api/articles?sort[0]=kind:ASC&sort[1]=id:desc'), [
      at.bare,
      at.cranes,
    ])
    assert.equal((await call('GET', '/api/articles?sort=title:up')).status, 400)
  })

  test('an answer is never older than the last write, whatever it was made from', async () => {
    const author = await create('authors', { name: 'Cleo' })
    const comment = await create('comments', { body: 'old' })
    const article = await create('articles', { title: 'Kept', author, comments: [comment] })
    const path = `/api/articles?filters[author][name]=Cleo&populate=author,comments`
    const seen = async () => {
      await ok('GET', path, { key: null })
      const { data } = await ok('GET', path, { key: null })
      return data.map((entry: { attributes: Record<string, never> }) => {
        const { title, author: by, comments } = Object(entry.attributes)
        return [title, by.data.attributes.name, ...comments.data.map(bodyOf)].join(' ')
      })
    }
    const bodyOf = (one: { attributes: { body: string } }) => one.attributes.body
    const put = (where: string, data: object) => ok('PUT', `/api/${where}`, { body: { data } })
    assert.deepEqual(await seen(), ['Kept Cleo old'])
    await put(`comments/${comment}`, { body: 'new' })
    assert.deepEqual(await seen(), ['Kept Cleo new'])
    await put(`comments/${comment}`, { publishedAt: null })
    assert.deepEqual(await seen(), ['Kept Cleo'])
    await put(`articles/${article}`, { title: 'Changed' })
    assert.deepEqual(await seen(), ['Changed Cleo'])
    await put(`authors/${author}`, { name: 'Dora' })
    assert.deepEqual(await seen(), [])
    await put(`authors/${author}`, { name: 'Cleo' })
    await remove('articles', article)
    assert.deepEqual(await seen(), [])
    await remove('comments', comment)
    await remove('authors', author)
  })

  test('a keyed read is metered, public or not', async () => {
    await ok('GET', `/api/articles/${at.bare}`, { key: keys.read })
    const found = await until(async () => {
      const { data } = await ok('GET', '/api/v1/usage/endpoints', { key: keys.read })
      return data.find(({ endpoint }: { endpoint: string }) => endpoint === '/api/articles/{id}')
    })
    assert.equal(found.method, 'GET')
  })

  test('refused keys and limits in this dialect', async (t) => {
    await beginMinute(t, cms.server())
    const figures = { name: 'Small', requests_per_month: -1, requests_per_minute: 1 }
    const plan = (await ok('POST', '/api/v1/plans', { body: figures })).data.id
    const issued = await ok('POST', '/api/v1/keys', { body: { plan_id: plan, access: 'read' } })
    const { id, key } = issued.data
    assert.equal((await call('GET', '/api/articles', { key })).status, 200)
    const limited = await call('GET', '/api/articles', { key })
    assert.equal(limited.status, 429)
    assert.equal(limited.body.error.name, 'RateLimitError')
    assert.ok(limited.headers.has('retry-after'))
    await ok('DELETE', `/api/v1/keys/${id}`)
    const revoked = await call('GET', '/api/articles', { key })
    assert.equal(revoked.status, 403)
    assert.deepEqual(
      [revoked.body.error.name, revoked.body.error.details.code],
      ['ForbiddenError', 'key_revoked'],
    )
    const crooked = await call('GET', '/api/articles/%zz')
    assert.equal(crooked.status, 400)
    assert.equal(crooked.body.error.name, 'ValidationError')
  })

  test('a preflight is answered without a key', async () => {
    const { status, headers } = await call('OPTIONS', '/api/articles', {
      key: null,
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, response-format',
      },
    })
    assert.equal(status, 204)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.match(headers.get('access-control-allow-headers') ?? '', /response-format/)
  })

  test('locales are a plain list', async () => {
    const locales = await ok('GET', '/api/i18n/locales', { key: null })
    assert.deepEqual(
      locales.map(({ code, isDefault }: { code: string; isDefault: boolean }) => [code, isDefault]),
      [
        ['en', true],
        ['fr', false],
        ['fr-CH', false],
      ],
    )
    assert.deepEqual(Object.keys(locales[0]), [
      'id',
      'code',
      'name',
      'isDefault',
      'createdAt',
      'updatedAt',
    ])
  })
})
