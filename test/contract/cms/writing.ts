import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cmsSuite } from './support.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

export const writing = cmsSuite('writing in the CMS dialect', (cms) => {
  const { call, ok, create, ids, remove, keys } = cms
  const put = (path: string, data: object, query = '') =>
    call('PUT', `/api/${path}${query}`, { body: { data } })
  const titleOf = async (id: number, query = '', key: string | null = null) => {
    const { body } = await call('GET', `/api/articles/${id}${query}`, { key })
    return body.data?.attributes.title
  }
  const documentOf = async (path: string) => {
    const headers = { 'response-format': 'flat' }
    return (await ok('GET', path, { headers })).data.documentId
  }

  test('cms-rest 1: create, update and delete answer 200 with the entry', async () => {
    const made = await call('POST', '/api/articles', {
      key: keys.write,
      body: { data: { title: 'New', id: 99, createdAt: 'x', localizations: [1], unknown: 1 } },
    })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const { id, attributes } = made.body.data
    assert.equal(attributes.title, 'New')
    assert.equal(attributes.slug, 'new')
    assert.ok(attributes.publishedAt)
    const changed = await put(`articles/${id}`, { summary: 'more', title: 'Newer' })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.data.attributes.summary, 'more')
    assert.equal(changed.body.data.id, id)
    const cleared = await put(`articles/${id}`, { summary: null })
    assert.equal(cleared.body.data.attributes.summary, null)
    assert.equal(cleared.body.data.attributes.title, 'Newer', 'absent members stay')
    const gone = await call('DELETE', `/api/articles/${id}`)
    assert.equal(gone.status, 200)
    assert.equal(gone.body.data.id, id)
    assert.equal(gone.body.data.attributes.title, 'Newer')
    assert.equal((await call('GET', `/api/articles/${id}`)).status, 404)
    assert.equal((await call('DELETE', `/api/articles/${id}`)).status, 404)
    assert.equal((await put(`articles/${id}`, { title: 'x' })).status, 404)
  })

  test('the answer to a write is shaped by the query, and a bad query writes nothing', async () => {
    const author = await create('authors', { name: 'Ada' })
    const made = await ok('POST', '/api/articles?populate=author&fields=title', {
      body: { data: { title: 'Shaped', author } },
    })
    assert.deepEqual(Object.keys(made.data.attributes), ['title', 'author'])
    assert.equal(made.data.attributes.author.data.attributes.name, 'Ada')
    const before = await ids('/api/articles')
    for (const query of [
      'populate=nothing',
      'populate[author][filters][nothing]=1',
      'populate[author][sort]=nothing',
      'fields=nothing',
      'status=maybe',
    ]) {
      const body = { data: { title: 'Never' } }
      assert.equal((await call('POST', `/api/articles?${query}`, { body })).status, 400, query)
      const path = `/api/articles/${made.data.id}?${query}`
      assert.equal((await call('PUT', path, { body })).status, 400, query)
      assert.equal((await call('DELETE', path)).status, 400, query)
    }
    assert.deepEqual(await ids('/api/articles'), before)
    assert.equal(await titleOf(made.data.id), 'Shaped')
    const gone = await ok('DELETE', `/api/articles/${made.data.id}?populate=author`)
    assert.equal(gone.data.attributes.author.data.id, author)
  })

  test('cms-rest 8: drafts are hidden from list and by id and shown to writers who ask', async () => {
    const draft = await create('articles', { title: 'Draft', publishedAt: null })
    const other = await create('articles', { title: 'Other draft' }, '?status=draft')
    const live = await create('articles', { title: 'Live' })
    for (const key of [null, keys.read, keys.write]) {
      const found = await ids('/api/articles', { key })
      assert.ok(found.includes(live) && !found.includes(draft) && !found.includes(other))
      assert.equal((await call('GET', `/api/articles/${draft}`, { key })).status, 404)
    }
    for (const query of ['publicationState=preview', 'status=draft']) {
      const path = `/api/articles?${query}&pagination[pageSize]=100`
      const found = await ids(path, { key: keys.write })
      assert.ok(found.includes(live) && found.includes(draft) && found.includes(other))
      assert.equal((await call('GET', path, { key: keys.read })).status, 403)
      assert.equal((await call('GET', path, { key: null })).status, 401)
      const one = `/api/articles/${draft}?${query}`
      assert.equal((await call('GET', one, { key: keys.write })).status, 200)
      assert.equal((await call('GET', one, { key: keys.read })).status, 403)
      assert.equal((await call('GET', one, { key: null })).status, 401)
    }
    const drafts = await ids(
      '/api/articles?publicationState=preview&filters[publishedAt][$null]=true',
    )
    assert.deepEqual(drafts, [draft, other])
    for (const id of [draft, other, live]) await remove('articles', id)
  })

  test('cms-rest 8: live mode shows only live related entries', async () => {
    const shown = await create('comments', { body: 'shown' })
    const hidden = await create('comments', { body: 'hidden' }, '?status=draft')
    const id = await create('articles', { title: 'Parent', comments: [shown, hidden] })
    const related = async (query: string) => {
      const { data } = await ok('GET', `/api/articles/${id}?populate=comments&${query}`)
      return data.attributes.comments.data.map((one: { id: number }) => one.id)
    }
    assert.deepEqual(await related(''), [shown])
    assert.deepEqual(await related('publicationState=preview'), [shown, hidden])
    assert.deepEqual(await ids(`/api/articles?filters[comments][id]=${hidden}`), [])
    await remove('articles', id)
  })

  test('cms-rest 9: a live entry edited as draft stays as it was until it is published', async () => {
    const id = await create('articles', { title: 'Before' })
    const edited = await put(`articles/${id}`, { title: 'After' }, '?status=draft')
    assert.equal(edited.body.data.attributes.title, 'After')
    assert.equal(await titleOf(id), 'Before')
    assert.equal(await titleOf(id, '?publicationState=preview', keys.write), 'After')
    const publishedAt = '2024-05-06T07:08:09.000Z'
    const published = await put(`articles/${id}`, { publishedAt })
    assert.equal(published.body.data.attributes.publishedAt, publishedAt)
    assert.equal(await titleOf(id), 'After')
    const down = await put(`articles/${id}`, { publishedAt: null })
    assert.equal(down.body.data.attributes.publishedAt, null)
    assert.equal(await titleOf(id), undefined)
    assert.equal(await titleOf(id, '?status=draft', keys.write), 'After')
    await remove('articles', id)
  })

  test('cms-rest 9: a draft may be half done, publishing it checks', async () => {
    const id = await create('articles', { summary: 'no title yet' }, '?status=draft')
    const refused = await put(`articles/${id}`, { publishedAt: new Date().toISOString() })
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body.error.details.errors[0].path, ['title'])
    assert.equal(await titleOf(id), undefined)
    await remove('articles', id)
  })

  test('cms-rest 10: languages', async () => {
    const fr = await create('articles', { title: 'Grues', locale: 'fr', rank: 3 })
    const en = await create('articles', { title: 'Alone' })
    const documentId = await documentOf(`/api/articles/${fr}`)
    assert.match(documentId, UUID)

    const added = await call('POST', `/api/articles/${fr}/localizations`, {
      body: { locale: 'en', title: 'Cranes' },
    })
    assert.equal(added.status, 200, JSON.stringify(added.body))
    assert.equal(added.body.data, undefined, 'the answer is flat')
    assert.equal(added.body.title, 'Cranes')
    assert.equal(added.body.locale, 'en')
    assert.equal(added.body.rank, 3, 'shared attributes are copied')
    assert.deepEqual(
      added.body.localizations.map(({ id, locale, title }: Record<string, unknown>) => [
        id,
        locale,
        title,
      ]),
      [[fr, 'fr', 'Grues']],
    )
    const cranes = added.body.id

    assert.deepEqual(await ids('/api/articles?locale=fr'), [fr])
    assert.deepEqual((await ids('/api/articles?locale=all')).sort(), [fr, en, cranes].sort())
    assert.deepEqual(await ids('/api/articles'), [en, cranes])
    assert.deepEqual(await ids('/api/articles?locale=xx'), [])
    assert.deepEqual(await ids('/api/articles?locale=fr&fallbackLocale=en'), [fr, en])
    assert.deepEqual(await ids('/api/articles?locale=fr-CH&fallbackLocale=auto'), [fr])
    const mixed = await ok('GET', '/api/articles?locale=fr&fallbackLocale=en')
    assert.deepEqual(
      mixed.data.map(({ attributes }: { attributes: { locale: string } }) => attributes.locale),
      ['fr', 'en'],
    )
    const both = await ok('GET', `/api/articles/${cranes}?populate=localizations`)
    assert.deepEqual(
      both.data.attributes.localizations.data.map(({ id }: { id: number }) => id),
      [fr],
    )
    assert.deepEqual(Object.keys(both.data.attributes.localizations), ['data'])

    const by = async (query: string) =>
      (await call('GET', `/api/articles/${documentId}${query}`)).body.data?.id
    assert.equal(await by(''), cranes)
    assert.equal(await by('?locale=fr'), fr)
    assert.equal(await by('?locale=fr-CH'), undefined)
    assert.equal(await by('?locale=fr-CH&fallbackLocale=auto'), fr)
    const byId = await ok('GET', `/api/articles/${fr}?locale=en`)
    assert.equal(byId.data.id, fr, 'an integer names its variant')

    for (const [body, what] of [
      [{ title: 'No language' }, 'missing'],
      [{ locale: 'xx', title: 'x' }, 'unknown'],
      [{ locale: 'fr', title: 'x' }, 'taken'],
    ] as const) {
      const refused = await call('POST', `/api/articles/${fr}/localizations`, { body })
      assert.equal(refused.status, 400, what)
      assert.deepEqual(refused.body.error.details.errors[0].path, ['locale'], what)
    }
    assert.equal(
      (await call('POST', '/api/articles?locale=all', { body: { data: { title: 'x' } } })).status,
      400,
    )
    const wrong = await call('POST', '/api/articles', {
      body: { data: { title: 'x', locale: 'xx' } },
    })
    assert.equal(wrong.status, 400)

    const ignored = await put(`articles/${fr}`, { locale: 'en', title: 'Grues !' })
    assert.equal(ignored.body.data.attributes.locale, 'fr')
    const gone = await ok('DELETE', `/api/articles/${fr}`)
    assert.equal(gone.data.id, fr)
    assert.equal(await by(''), cranes, 'the other variant stays')
    await ok('POST', `/api/articles/${cranes}/localizations`, {
      body: { data: { locale: 'fr', title: 'Encore' } },
    })
    await ok('DELETE', `/api/articles/${documentId}`)
    assert.deepEqual(await ids('/api/articles?locale=all'), [en])
    await remove('articles', en)
  })

  test('cms-rest 11: every refusal has its status and path and stores nothing', async () => {
    const first = await create('articles', { title: 'Taken', code: 'A1' })
    const refused = async (data: unknown, status = 400) => {
      const answer = await call('POST', '/api/articles', { body: { data } })
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(answer.body.data, null)
      return answer.body.error
    }
    const pathsOf = (error: { details: { errors: { path: string[] }[] } }) =>
      error.details.errors.map(({ path }) => path.join('.'))

    for (const body of [{}, { data: 1 }, { data: [] }, { title: 'x' }, []]) {
      const answer = await call('POST', '/api/articles', { body })
      assert.equal(answer.status, 400)
      assert.match(answer.body.error.message, /data/)
    }
    assert.deepEqual(pathsOf(await refused({})), ['title'])
    assert.deepEqual(pathsOf(await refused({ title: 'x', rank: 'many' })), ['rank'])
    assert.deepEqual(pathsOf(await refused({ title: 'x'.repeat(61) })), ['title'])
    assert.deepEqual(pathsOf(await refused({ title: 'x', kind: 'poem' })), ['kind'])
    assert.deepEqual(pathsOf(await refused({ title: 'x', code: 'A1' })), ['code'])
    assert.deepEqual(pathsOf(await refused({ title: 'x', seo: { description: 'x'.repeat(21) } })), [
      'seo.description',
    ])
    const all = await refused({ title: {}, rank: 'x', kind: 'y' })
    assert.deepEqual(pathsOf(all).sort(), ['kind', 'rank', 'title'])
    const relation = await refused({ title: 'x', author: 4711, comments: [4711, 4712] })
    assert.deepEqual(pathsOf(relation).sort(), ['author', 'comments'])
    assert.match(relation.message, /1 of type api::author\.author/)
    assert.match(relation.message, /2 of type api::comment\.comment/)
    for (const publishedAt of ['soon', 8.64e15, -8.64e15, Number.MAX_SAFE_INTEGER, 1.5, true]) {
      assert.deepEqual(pathsOf(await refused({ title: 'x', publishedAt })), ['publishedAt'])
    }

    const broken = await call('POST', '/api/articles', { text: '{"data":' })
    assert.equal(broken.status, 400)
    assert.equal(broken.body.error.name, 'ValidationError')
    const long = JSON.stringify({ data: { title: 'x', summary: 'x'.repeat(2 * 1024 * 1024) } })
    const large = await call('POST', '/api/articles', { text: long })
    assert.equal(large.status, 413)
    assert.equal(large.body.error.name, 'PayloadTooLargeError')
    const form = await call('POST', '/api/articles', {
      text: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(form.status, 415)
    assert.equal(form.body.error.name, 'UnsupportedMediaTypeError')

    const clash = await create('articles', { title: 'Free', code: 'B2' })
    const taken = await put(`articles/${clash}`, { title: 'Changed', code: 'A1' })
    assert.equal(taken.status, 400)
    assert.deepEqual(pathsOf(taken.body.error), ['code'])
    assert.equal(await titleOf(clash), 'Free', 'nothing of a refused write is stored')
    assert.deepEqual(await ids('/api/articles?publicationState=preview'), [first, clash])
    for (const id of [first, clash]) await remove('articles', id)
  })

  test('cms-rest 11: conditions are refused with a change, and nothing is changed', async () => {
    const id = await create('articles', { title: 'Conditional' })
    const body = { data: { title: 'Changed' } }
    for (const [method, path, sent] of [
      ['DELETE', `/api/articles/${id}`, {}],
      ['PUT', `/api/articles/${id}`, { body }],
      ['POST', '/api/articles', { body }],
      ['POST', `/api/articles/${id}/localizations`, { body: { data: { locale: 'fr' } } }],
      ['PUT', '/api/home', { body }],
    ] as const) {
      const refused = await call(method, `${path}?filters[title]=Other`, sent)
      assert.equal(refused.status, 400, `${method} ${path}`)
      assert.match(refused.body.error.message, /^filters has no effect on a change/)
      assert.deepEqual(refused.body.error.details.errors[0].path, ['filters'])
    }
    const { data } = await ok('GET', `/api/articles/${id}?populate=localizations`)
    assert.equal(data.attributes.title, 'Conditional')
    assert.deepEqual(data.attributes.localizations, { data: [] })
    await ok('DELETE', `/api/articles/${id}?filters=`)
  })

  test('cms-rest 11: whatever a body says, it is stored or refused', async () => {
    const NAMES = [
      ...['title', 'slug', 'summary', 'kind', 'code', 'rank', 'secret', 'pin', 'cover', 'gallery'],
      ...['author', 'vault', 'comments', 'seo', 'blocks', 'locale', 'publishedAt', 'id'],
    ]
    const VALUES: readonly unknown[] = [
      ...[null, '', 'x', 0, 1, -1, 1.5, true, [], {}, [[]], [null], [{}], [1, 1], '1'],
      ...[9_007_199_254_740_991, 2_147_483_648, 1e300, '99999999999999999999', 'x'.repeat(300)],
      ...[{ id: 1 }, { id: 'x' }, [{ id: 99 }], { set: [1] }, { set: 1, connect: [] }],
      ...[{ connect: [{ id: 1, position: { before: 99 } }] }, { disconnect: [7] }, { connect: {} }],
      ...[{ description: 7, image: 99 }, [{ heading: [] }], 'ÉTÉ ς 😀', '2024-01-01', 'en'],
      ...['0190b1c2-0000-7000-8000-000000000000', { heading: 'x', id: 9_007_199_254_740_991 }],
    ]
    let state = 11
    const pick = <T>(list: readonly T[]): T | undefined => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return list[Math.floor(state / 65_536) % list.length]
    }
    const made: number[] = []
    const seen = new Map<number, number>()
    for (let n = 0; n < 200; n++) {
      const data: Record<string, unknown> = n % 4 === 0 ? {} : { title: `Fuzz ${n}` }
      for (let at = 0; at <= n % 2; at++) data[pick(NAMES) ?? ''] = pick(VALUES)
      const id = made[n % Math.max(made.length, 1)]
      const query = n % 5 === 0 ? '?status=draft' : ''
      const { status, body } =
        id !== undefined && n % 2 === 0
          ? await put(`articles/${id}`, data, query)
          : await call('POST', `/api/articles${query}`, { body: { data } })
      const sent = JSON.stringify(data)
      assert.ok([200, 400].includes(status), `${sent}: ${status} ${JSON.stringify(body)}`)
      if (status === 400) assert.ok(body.error.message, sent)
      else if (body.data.id !== id) made.push(body.data.id)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
    for (const status of [200, 400]) assert.ok((seen.get(status) ?? 0) > 20, `${[...seen]}`)
    for (const id of made) await remove('articles', id)
  })

  test('components keep their ids, relations take all forms', async () => {
    const [ada, bob] = [
      await create('authors', { name: 'Ada' }),
      await create('authors', { name: 'Bob' }),
    ]
    const id = await create('articles', {
      title: 'Parts',
      author: { connect: [ada] },
      blocks: [{ heading: 'One' }, { heading: 'Two', unknown: 1 }],
    })
    const blocksOf = async () =>
      (await ok('GET', `/api/articles/${id}?populate=blocks`)).data.attributes.blocks
    const [one, two] = await blocksOf()
    const kept = [{ id: two.id, heading: 'Two!' }, { heading: 'Three' }]
    assert.equal((await put(`articles/${id}`, { blocks: kept })).status, 200)
    const now = await blocksOf()
    assert.deepEqual(
      now.map(({ heading }: { heading: string }) => heading),
      ['Two!', 'Three'],
    )
    assert.equal(now[0].id, two.id)
    assert.ok(now[1].id !== one.id && now[1].id !== two.id)
    const authorOf = async () =>
      (await ok('GET', `/api/articles/${id}?populate=author`)).data.attributes.author.data?.id
    assert.equal(await authorOf(), ada)
    await put(`articles/${id}`, { author: bob })
    assert.equal(await authorOf(), bob)
    await put(`articles/${id}`, { author: null })
    assert.equal(await authorOf(), undefined)
    await remove('articles', id)
  })

  test('a single is made by its first PUT and keeps its id', async () => {
    assert.equal((await call('GET', '/api/home')).status, 404)
    assert.equal((await call('DELETE', '/api/home')).status, 404)
    const made = await put('home', { title: 'Welcome' })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const { id } = made.body.data
    const again = await put('home', { title: 'Hello' })
    assert.equal(again.body.data.id, id)
    const fr = await put('home', { title: 'Bonjour' }, '?locale=fr')
    assert.equal(fr.body.data.attributes.locale, 'fr')
    assert.notEqual(fr.body.data.id, id)
    const home = async (query = '') =>
      (await call('GET', `/api/home${query}`, { key: null })).body.data
    assert.equal((await home()).attributes.title, 'Hello')
    assert.equal((await home('?locale=fr')).attributes.title, 'Bonjour')
    assert.equal((await home('?locale=all')).length, 2)
    const swiss = await call('POST', '/api/home/localizations', {
      body: { locale: 'fr-CH', title: 'Salut' },
    })
    assert.equal(swiss.status, 200)
    assert.equal(swiss.body.localizations.length, 2)
    const gone = await ok('DELETE', '/api/home?locale=fr')
    assert.equal(gone.data.attributes.title, 'Bonjour')
    assert.equal((await home('?locale=all')).length, 2)
    await ok('DELETE', '/api/home?locale=all')
    assert.equal(await home(), null)
  })
})
