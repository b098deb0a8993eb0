import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_KEY, type Answer } from '#test-kit'
import { idsOf, linksOf, restSuite } from './support.ts'

export const lists = restSuite('lists', ({ call, data, keys, walk, server }) => {
  const ARTICLES = '/api/v1/articles'
  let [ann, bob]: { id: number }[] = []

  function bulk(collection: string, records: object[]) {
    const operations = records.map((data) => ({ op: 'create', data }))
    return call('POST', `/api/v1/${collection}/bulk`, { body: { operations } })
  }

  function refused({ status, body }: Answer, code: string, message: RegExp) {
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.error.code, code)
    assert.match(body.error.message, message)
  }

  /** 57 articles: 30 by Ann, 20 by Bob, 7 by nobody; every third with the same rank. */
  before(async () => {
    ann = await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    bob = await data('POST', '/api/v1/authors', { body: { name: 'Bob' } })
    const articles = Array.from({ length: 57 }, (_, at) => ({
      title: `Article ${String(at + 1).padStart(2, '0')}`,
      rank: at % 3,
      author_id: at < 30 ? ann?.id : at < 50 ? bob?.id : null,
    }))
    const made = await bulk('articles', articles)
    assert.equal(made.body.meta.created, 57, JSON.stringify(made.body))
  })

  test('rest-conventions 2: the example of the documents gives what it says', async () => {
    await data('POST', `${ARTICLES}/30/comments`, { body: { body: 'First' } })
    const { body, status } = await call(
      'GET',
      `${ARTICLES}?status=published&author_id=${ann?.id}&created_after=2025-01-01` +
        '&sort=created_at&order=desc&include=author,comments&per_page=5',
      { key: keys.read },
    )
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.meta, { page: 1, per_page: 5, total: 30, total_pages: 6 })
    assert.equal(body.data.length, 5)
    const times = body.data.map(({ created_at }: { created_at: string }) => created_at)
    assert.deepEqual(times, times.toSorted().toReversed())
    for (const record of body.data) {
      assert.equal(record.author_id, ann?.id)
      assert.equal(record.author.name, 'Ann')
      assert.ok(!('password' in record.author))
      assert.ok(Array.isArray(record.comments))
    }
    const thirty = await data('GET', `${ARTICLES}/30?include=comments`)
    assert.deepEqual(
      thirty.comments.map(({ body, article_id }: { body: string; article_id: number }) => [
        body,
        article_id,
      ]),
      [['First', 30]],
    )
    const plain = await call('GET', ARTICLES)
    assert.equal(plain.body.data.length, 20)
    assert.deepEqual(plain.body.meta, { page: 1, per_page: 20, total: 57, total_pages: 3 })
    assert.equal(plain.headers.get('x-total-count'), '57')
    assert.equal((await call('GET', `${ARTICLES}?per_page=500`)).body.meta.per_page, 100)
    assert.equal((await call('GET', `${ARTICLES}?page=9`)).body.data.length, 0)
    const uncounted = await call('GET', `${ARTICLES}?count=false`)
    assert.deepEqual(uncounted.body.meta, { page: 1, per_page: 20, has_more: true })
    assert.equal(uncounted.headers.get('x-total-count'), null)
  })

  test('rest-conventions 2: filters by relation, attribute, time, operator and text', async () => {
    const total = async (query: string) =>
      (await call('GET', `${ARTICLES}?${query}`)).body.meta?.total
    const ofBob = await data('GET', `/api/v1/authors/${bob?.id}`)
    assert.equal(await total(`author_id=${ofBob.document_id}`), 20)
    assert.equal(await total('author_id='), 7)
    assert.equal(await total('rank=0'), 19)
    assert.equal(await total('title=Article 07'), 1)
    assert.equal(
      await total('filters[title][$in][0]=Article 07&filters[title][$in][1]=Article 08'),
      2,
    )
    assert.equal(await total('filters[author][name][$eqi]=BOB&rank=1'), 7)
    assert.equal(await total('filters[created_at][$gt]=2025-01-01'), 57)
    assert.equal(await total('q=article 0'), 9)
    assert.equal(await total('created_before=2025-01-01'), 0)
    const first = await data('GET', `${ARTICLES}/1`)
    assert.equal(await total(`created_after=${first.created_at.slice(0, 10)}`), 57)
    const later = `created_after=${encodeURIComponent(first.created_at)}&filters[id]=1`
    assert.equal(await total(later), 0)
  })

  test('rest-conventions 2: bad values are refused by name', async () => {
    for (const [query, name] of [
      ['sort=nothing', 'sort'],
      ['sort=notes', 'sort'],
      ['order=up', 'order'],
      ['created_after=yesterday', 'created_after'],
      ['status=open', 'status'],
      ['per_page=0', 'per_page'],
      ['page=x', 'page'],
      ['rank=high', 'rank'],
      ['fields=notes', 'fields'],
      ['filters[notes]=x', 'notes'],
      ['filters[title][$like]=x', '\\$like'],
      ['filters[__proto__]=x', '__proto__'],
      ['sort=id&sort=title', 'sort'],
      ['count=maybe', 'count'],
    ] as const) {
      refused(await call('GET', `${ARTICLES}?${query}`), 'invalid_parameter', new RegExp(name))
    }
  })

  test('rest-conventions 3: what may not be included is refused by name', async () => {
    for (const entry of [
      'secret',
      'author.password',
      'a.b.c.d',
      'title',
      'comments.article.secret',
    ]) {
      const { status, body } = await call('GET', `${ARTICLES}?include=author,${entry}`)
      assert.equal(status, 400)
      assert.equal(body.error.code, 'invalid_include')
      assert.ok(body.error.message.includes(entry), body.error.message)
      assert.equal((await call('GET', `${ARTICLES}/1?include=${entry}`)).status, 400)
    }
    const deep = await call('GET', `${ARTICLES}?include=comments.article.author`)
    assert.equal(deep.status, 200)
  })

  test('rest-conventions 7: three ways to walk, the same records', async () => {
    const expected = Array.from({ length: 57 }, (_, at) => at + 1)
    const offset = idsOf(await walk(`${ARTICLES}?per_page=10`))
    const cursor = idsOf(await walk(`${ARTICLES}?cursor=&per_page=10`))
    const keyset = idsOf(await walk(`${ARTICLES}?limit=10`))
    assert.deepEqual(offset, expected)
    assert.deepEqual(cursor, expected)
    assert.deepEqual(keyset, expected)
    const down = idsOf(await walk(`${ARTICLES}?limit=10&order=desc`))
    assert.deepEqual(down, expected.toReversed())

    const ranked = await walk(`${ARTICLES}?cursor=&per_page=7&sort=rank&order=desc`)
    const ranks = ranked.flatMap(({ body }) => body.data.map(({ rank }: { rank: number }) => rank))
    assert.deepEqual(ranks, ranks.toSorted().toReversed())
    assert.deepEqual(
      idsOf(ranked).toSorted((a, b) => a - b),
      expected,
    )
    assert.deepEqual(ranked[0]?.body.meta.prev_cursor, null)
    assert.deepEqual(Object.keys(ranked[0]?.body.meta ?? {}), [
      ...['per_page', 'has_more', 'next_cursor', 'prev_cursor'],
    ])
    const [first] = await walk(`${ARTICLES}?after_id=40&limit=5`)
    assert.deepEqual(first?.body.meta, {
      limit: 5,
      after_id: 40,
      next_after_id: 45,
      has_more: true,
    })
    const last = await call('GET', `${ARTICLES}?after_id=50&limit=100000`)
    assert.deepEqual(last.body.meta, {
      limit: 100,
      after_id: 50,
      next_after_id: null,
      has_more: false,
    })
  })

  test('rest-conventions 7: walks survive inserts and deletes', async () => {
    const made = await bulk(
      'categories',
      Array.from({ length: 120 }, (_, at) => ({ name: `C ${at % 10}` })),
    )
    assert.equal(made.body.meta.created, 120)
    for (const way of ['cursor=&sort=name&per_page=10', 'limit=10']) {
      const [seen, stayed] = await disturbedWalk(`/api/v1/categories?${way}`)
      const repeated = seen.filter((id, at) => seen.indexOf(id) !== at)
      assert.deepEqual(repeated, [])
      assert.deepEqual(
        stayed.filter((id) => !seen.includes(id)),
        [],
      )
    }
  })

  /** After each page one record of it and one further on go, and a new one comes. */
  async function disturbedWalk(path: string): Promise<[seen: number[], stayed: number[]]> {
    const all = new Set(idsOf(await walk('/api/v1/categories?limit=100')))
    const seen: number[] = []
    let next: string | undefined = path
    while (next !== undefined) {
      const page: Answer = await call('GET', next)
      const ids = idsOf([page])
      seen.push(...ids)
      const further = [...all].find((id) => !seen.includes(id))
      for (const id of [ids.at(-1), further]) {
        if (id === undefined) continue
        await call('DELETE', `/api/v1/categories/${id}`)
        all.delete(id)
      }
      await data('POST', '/api/v1/categories', { body: { name: 'C 5' } })
      const link = linksOf(page)['next']
      next = link?.slice(new URL(link).origin.length)
    }
    return [seen, [...all]]
  }

  test('rest-conventions 7: mixed, altered and misplaced paging is refused', async () => {
    const { body } = await call('GET', `${ARTICLES}?cursor=&per_page=5&sort=title`)
    const cursor: string = body.meta.next_cursor
    const bad = (query: string) => call('GET', `${ARTICLES}?${query}`)
    refused(await bad('page=1&after_id=3'), 'conflicting_pagination', /page/)
    refused(await bad('cursor=&limit=3'), 'conflicting_pagination', /cursor/)
    refused(await bad(`cursor=${cursor}`), 'invalid_cursor', /cursor/)
    refused(await bad(`cursor=${cursor}&sort=title&rank=1`), 'invalid_cursor', /cursor/)
    refused(await bad(`cursor=${cursor}x&sort=title`), 'invalid_cursor', /cursor/)
    refused(await bad('cursor=abc&sort=title'), 'invalid_cursor', /cursor/)
    refused(await bad('after_id=abc'), 'invalid_parameter', /after_id/)
    refused(await bad('after_id=1&sort=title'), 'invalid_parameter', /sort/)
    const other = await call('GET', `/api/v1/authors?cursor=${cursor}`)
    refused(other, 'invalid_cursor', /cursor/)
    assert.equal((await bad(`cursor=${cursor}&sort=title&per_page=5`)).status, 200)
  })

  test('rest-conventions 8: links lead to the end and back and never hold the key', async () => {
    for (const way of ['per_page=13&rank=1', 'cursor=&per_page=13&rank=1', 'limit=13&rank=1']) {
      const path = `${ARTICLES}?${way}&api_key=${ADMIN_KEY}`
      const onward = await walk(path)
      const links = linksOf(onward.at(-1) ?? onward[0] ?? assert.fail())
      const prev = links['prev'] ?? assert.fail(`${way}: no way back`)
      const back = await walk(prev.slice(new URL(prev).origin.length), 'prev')
      assert.deepEqual(
        [...back.toReversed(), ...onward.slice(-1)].map((page) => idsOf([page])),
        onward.map((page) => idsOf([page])),
        way,
      )
      for (const page of [...onward, ...back]) {
        const header = page.headers.get('link') ?? ''
        assert.ok(header.includes(server().url) && header.includes('rank=1'), header)
        assert.ok(!header.includes('api_key') && !header.includes(ADMIN_KEY))
      }
    }
  })

  test('rest-conventions 10: a child collection lists, filters and pages', async () => {
    const path = `${ARTICLES}/5/comments`
    for (const at of [1, 2, 3, 4, 5]) {
      const made = await call('POST', path, { body: { body: `Comment ${at}`, likes: at } })
      assert.equal(made.status, 201)
      assert.equal(made.body.data.article_id, 5)
      assert.equal(made.headers.get('location'), `/api/v1/comments/${made.body.data.id}`)
    }
    await data('POST', `${ARTICLES}/6/comments`, { body: { body: 'Elsewhere' } })
    const bodies = async (query: string) =>
      (await data('GET', `${path}?${query}`)).map(({ body }: { body: string }) => body)
    assert.deepEqual(await bodies('sort=likes&order=desc&per_page=2'), ['Comment 5', 'Comment 4'])
    assert.deepEqual(await bodies('likes=3'), ['Comment 3'])
    assert.deepEqual(await bodies('filters[likes][$gt]=3'), ['Comment 4', 'Comment 5'])
    assert.equal((await call('GET', path)).body.meta.total, 5)
    for (const way of ['per_page=2', 'cursor=&per_page=2', 'limit=2']) {
      assert.equal(idsOf(await walk(`${path}?${way}`)).length, 5, way)
    }
    const foreign = await call('GET', `${path}?cursor=&per_page=2`)
    const elsewhere = `${ARTICLES}/6/comments?cursor=${foreign.body.meta.next_cursor}`
    refused(await call('GET', elsewhere), 'invalid_cursor', /cursor/)
    assert.equal((await call('GET', `${ARTICLES}/999999/comments`)).status, 404)
    assert.equal((await call('GET', `${ARTICLES}/5/nothing`)).status, 404)
    assert.equal((await call('GET', `${ARTICLES}/5/secret`)).status, 404)
    const orphan = { body: { body: 'x' } }
    assert.equal((await call('POST', `${ARTICLES}/999999/comments`, orphan)).status, 404)
    assert.equal((await data('GET', `${ARTICLES}/5/author`)).name, 'Ann')
    assert.deepEqual((await call('GET', `${ARTICLES}/57/author`)).body, { data: null })
    assert.equal((await call('POST', `${ARTICLES}/5/author`, { body: {} })).status, 405)
  })

  test('rest-conventions 10: a relation without an inverse has its child collection too', async () => {
    const path = `${ARTICLES}/8/categories`
    const made = await call('POST', path, { body: { name: 'Boats' } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id } = made.body.data
    await data('POST', path, { body: { name: 'Anchors' } })
    assert.deepEqual(
      (await data('GET', `${path}?sort=name`)).map(({ name }: { name: string }) => name),
      ['Anchors', 'Boats'],
    )
    assert.deepEqual(idsOf([await call('GET', `${ARTICLES}?category_id=${id}`)]), [8])
    const shown = await data('GET', `${ARTICLES}/8?include=categories`)
    assert.equal(shown.categories.length, 2)
    const empty = await call('GET', `${ARTICLES}/9/categories`)
    assert.deepEqual(empty.body.data, [])
    const count = (await call('GET', '/api/v1/categories')).body.meta.total
    const wrong = await call('POST', path, { body: { title: 'x' } })
    assert.equal(wrong.status, 400)
    assert.equal((await call('GET', '/api/v1/categories')).body.meta.total, count)
  })

  test('rest-conventions 10: what is drafted of a record is not published by its child', async () => {
    const record = `${ARTICLES}/10`
    const { title } = await data('GET', record)
    await data('PATCH', `${record}?status=draft`, { body: { title: 'Half a title' } })
    await data('POST', `${record}/categories`, { body: { name: 'Buoys' } })
    await data('POST', `${record}/comments`, { body: { body: 'First' } })
    const live = await data('GET', `${record}?include=categories,comments`)
    assert.deepEqual([live.title, live.status], [title, 'published'])
    const working = await data('GET', `${record}?status=draft&include=categories,comments`)
    assert.deepEqual([working.title, working.status], ['Half a title', 'changed'])
    for (const { categories, comments } of [live, working]) {
      assert.equal(categories[0].name, 'Buoys')
      assert.equal(comments.at(-1).body, 'First')
    }
    await data('POST', `${record}/discard-draft`)
  })

  test('rest-conventions 14: an unknown parameter is ignored, named, or refused', async () => {
    const path = `${ARTICLES}?per_page=1&titel=x&utm%20source=y&api_key=${ADMIN_KEY}`
    const lenient = await call('GET', path)
    assert.equal(lenient.status, 200)
    assert.equal(lenient.headers.get('x-ignored-parameters'), 'titel, utm_source')
    assert.equal(lenient.body.meta.total, 57)
    const strict = await call('GET', path, { headers: { prefer: 'handling=strict' } })
    refused(strict, 'invalid_parameter', /titel/)
    const known = await call('GET', `${ARTICLES}?per_page=1&api_key=${ADMIN_KEY}`, {
      headers: { prefer: 'handling=strict' },
    })
    assert.equal(known.status, 200)
    assert.equal(known.headers.get('x-ignored-parameters'), null)
    const one = await call('GET', `${ARTICLES}/1?page=2`)
    assert.equal(one.headers.get('x-ignored-parameters'), 'page')
  })

  test('rest-conventions 14: conditions are refused where nothing is filtered, and nothing is done', async () => {
    const name = 'filters[title][$eq]=None'
    const made = await data('POST', ARTICLES, { body: { title: 'Not filtered' } })
    const record = `${ARTICLES}/${made.id}`
    const body = { title: 'Changed' }
    for (const [method, path, sent] of [
      ['GET', record, {}],
      ['DELETE', record, {}],
      ['PATCH', record, { body }],
      ['PUT', record, { body }],
      ['POST', `${record}/unpublish`, {}],
      ['GET', `${record}/author`, {}],
      ['GET', `${record}/revisions`, {}],
      ['POST', ARTICLES, { body }],
      ['POST', `${ARTICLES}/bulk`, { body: { operations: [{ op: 'delete', id: made.id }] } }],
      ['GET', '/api/v1/changes', {}],
      ['GET', '/api/v1/search?q=filtered', {}],
    ] as const) {
      const answer = await call(method, `${path}${path.includes('?') ? '&' : '?'}${name}`, sent)
      refused(answer, 'invalid_parameter', /^filters has no effect here/)
    }
    assert.equal((await data('GET', record)).title, 'Not filtered')
    assert.equal((await call('GET', `${record}/comments?filters[body]=x`)).status, 200)
    await call('DELETE', record)
  })

  test('fields narrows a record, and what is read stays small', async () => {
    const [record] = await data(
      'GET',
      `${ARTICLES}?fields=title,author_id&per_page=1&include=author`,
    )
    assert.deepEqual(Object.keys(record).sort(), ['author', 'author_id', 'id', 'title'])
    const large = await fetch(`${server().url}${ARTICLES}?per_page=100`, {
      headers: { 'x-api-key': keys.read, 'accept-encoding': 'br' },
    })
    assert.equal(large.headers.get('content-encoding'), 'br')
    assert.equal(JSON.parse(await large.text()).data.length, 57)
  })

  test('rest-conventions 2, 7: times of changes and publications, and the way back, choose records', async () => {
    const before = await call('GET', `${ARTICLES}?before_id=10&limit=5`)
    assert.deepEqual(idsOf([before]), [5, 6, 7, 8, 9])
    assert.equal(before.body.meta.has_more, true)
    for (const verb of ['updated', 'published'] as const) {
      const newest = async () => {
        const [record] = await data('GET', `${ARTICLES}?sort=${verb}_at&order=desc&per_page=1`)
        return String(record[`${verb}_at`])
      }
      const known = encodeURIComponent(await newest())
      if (verb === 'updated') await data('PATCH', `${ARTICLES}/12`, { body: { rank: 7 } })
      else for (const action of ['unpublish', 'publish']) await act(action)
      const later = await call('GET', `${ARTICLES}?${verb}_after=${known}`)
      assert.deepEqual(idsOf([later]), [12], `${verb}_after`)
      const earlier = `${ARTICLES}?${verb}_before=${encodeURIComponent(await newest())}`
      const { body } = await call('GET', `${earlier}&per_page=1`)
      assert.equal(body.meta.total, 56, `${verb}_before`)
      assert.deepEqual(idsOf([await call('GET', `${earlier}&filters[id]=12`)]), [])
    }

    async function act(action: string) {
      await data('POST', `${ARTICLES}/12/${action}`, { body: {} })
    }
  })
})
