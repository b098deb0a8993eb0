import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Answer } from '#test-kit'
import { assertPrompt } from '#test-kit'
import { restSuite } from './support.ts'

const SEARCH = '/api/v1/search'

interface Found {
  readonly title: string
  readonly status?: string
}

export const search = restSuite('search', ({ call, data, keys, walk }) => {
  before(async () => {
    const author = await data('POST', '/api/v1/authors', { body: { name: 'Ida Harbour' } })
    const articles = [
      {
        title: 'Harbour cranes',
        body: '<p>Steel & <b>rope</b> in the old harbour.</p>',
        rank: 2024,
      },
      { title: 'Steel', summary: 'Cranes of the harbour master', author_id: author.id },
      { title: 'Crane birds', notes: 'secretword', summary: 'Not of a harbourage' },
      { title: 'Harbour plans', status: 'draft' },
    ]
    for (const body of articles) await data('POST', '/api/v1/articles', { body })
    await call('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
    const page = await data('POST', '/api/v1/pages', { body: { title: 'Harbour guide' } })
    const french = { title: 'Guide du harbour', locale: 'fr', document_id: page.document_id }
    await data('POST', '/api/v1/pages', { body: french })
  })

  async function found(query: string): Promise<string[]> {
    const { status, body } = await call('GET', `${SEARCH}?${query}`, { key: keys.read })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.meta.total, body.data.length)
    return body.data.map(({ title }: Found) => title)
  }

  function refused({ status, body }: Answer, named: RegExp) {
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.error.code, 'invalid_parameter')
    assert.match(body.error.message, named)
  }

  test('rest-conventions 10: words are found in all types, those of titles first, then the newest', async () => {
    const titles = await found('q=harbour')
    assert.deepEqual(titles, [
      ...['Harbour guide', 'Harbour cranes', 'Ida Harbour'],
      ...['Crane birds', 'Steel'],
    ])
    assert.deepEqual(await found('q=harbour%20cranes'), ['Harbour cranes', 'Steel'])
    assert.deepEqual(await found('q=CRANES%20steel'), ['Steel', 'Harbour cranes'])
    assert.deepEqual(await found('q=2024'), ['Harbour cranes'])
  })

  test('rest-conventions 10: only the last word may go on, and phrases stand as they are', async () => {
    assert.deepEqual(await found('q=harb%20crane'), [])
    assert.deepEqual(await found('q=crane%20harb'), ['Crane birds'])
    assert.deepEqual(await found('q=%22harbour%20master%22'), ['Steel'])
    assert.deepEqual(await found('q=%22master%20harbour%22'), [])
    assert.deepEqual(await found('q=%22crane%22'), ['Crane birds'])
    assert.deepEqual(await found('q=nowhere'), [])
  })

  test('rest-conventions 10: an answer names type, record and place, and marks what was found', async () => {
    const { body } = await call('GET', `${SEARCH}?q=old%20harbour`, { key: keys.read })
    const [{ id, document_id, updated_at, ...rest }] = body.data
    assert.equal((await data('GET', `/api/v1/articles/${id}`)).document_id, document_id)
    assert.ok(Date.parse(updated_at) > 0)
    assert.deepEqual(rest, {
      ...{ type: 'article', title: 'Harbour cranes', status: 'published' },
      ...{ path: '/articles/harbour-cranes', url: `/api/v1/articles/${id}` },
      highlights: {
        title: '<mark>Harbour</mark> cranes',
        slug: '<mark>harbour</mark>-cranes',
        body: ' Steel &amp;  rope  in the <mark>old</mark> <mark>harbour</mark>. ',
      },
    })
    assert.deepEqual(body.meta, {
      ...{ page: 1, per_page: 20, total: 1, total_pages: 1, total_is_capped: false },
    })
  })

  test('rest-conventions 10: types, language and status choose among what is found', async () => {
    assert.deepEqual(await found('q=harbour&types=authors'), ['Ida Harbour'])
    assert.deepEqual(await found('q=harbour&types=author,page'), ['Harbour guide', 'Ida Harbour'])
    assert.deepEqual(await found('q=guide&locale=fr'), ['Guide du harbour'])
    assert.deepEqual(await found('q=guide&locale=all'), ['Guide du harbour', 'Harbour guide'])
    const all = await call('GET', `${SEARCH}?q=plans&status=all`)
    assert.deepEqual(
      all.body.data.map(({ title, status }: Found) => [title, status]),
      [['Harbour plans', 'draft']],
    )
    assert.equal(
      (await call('GET', `${SEARCH}?q=plans&status=all`, { key: keys.read })).status,
      403,
    )
    assert.deepEqual(await found('q=plans'), [])
    assert.deepEqual(await found('q=secretword'), [])
  })

  test('rest-conventions 10: pages follow each other, and the total can be left out', async () => {
    const answers = await walk(`${SEARCH}?q=harbour&per_page=2&count=false`)
    for (const { body } of answers) {
      assert.ok(!('total' in body.meta) && !('total_is_capped' in body.meta))
    }
    const titles = answers.flatMap(({ body }) => body.data.map(({ title }: Found) => title))
    assert.deepEqual(titles, await found('q=harbour'))
    const beyond = await call('GET', `${SEARCH}?q=harbour&page=9`)
    assert.deepEqual([beyond.body.data, beyond.body.meta.total], [[], 5])
  })

  test('rest-conventions 10: one character at the end of a text is found, also one that thousands of parts begin with', async () => {
    for (const title of ['華中', '12 桂'])
      await data('POST', '/api/v1/articles', { body: { title } })
    assert.deepEqual(await found('q=%E4%B8%AD'), ['華中'])
    assert.deepEqual(await found('q=%E6%A1%82&types=articles'), ['12 桂'])
    const letters = Array.from({ length: 400 }, (_, at) => String.fromCodePoint(0x4e00 + at))
    const body = { title: 'Many', summary: letters.map((letter) => `龍${letter}`).join('') }
    await data('POST', '/api/v1/articles', { body })
    assert.deepEqual(await found('q=%E9%BE%8D'), ['Many'])
    assert.deepEqual(await found('q=%E9%BE%8D%20many'), ['Many'])
  })

  test('rest-conventions 10: one stored text takes no time from others', async () => {
    const body = { title: 'Needle', body: `needle ${'<'.repeat(300_000)} 😀` }
    await data('POST', '/api/v1/articles', { body })
    const startedMs = performance.now()
    assert.deepEqual(await found('q=needle'), ['Needle'])
    const tookMs = performance.now() - startedMs
    assertPrompt(tookMs, 5_000)
  })

  test('rest-conventions 10: what is private from now on is found no more, not even before the index is made anew', async () => {
    const type = { singularName: 'memo', pluralName: 'memos', draftAndPublish: false }
    const attributes = (isPrivate: boolean) => ({
      title: { type: 'string' },
      word: { type: 'string', private: isPrivate },
    })
    const made = { ...type, attributes: attributes(false) }
    assert.equal((await call('POST', '/api/v1/content-types', { body: made })).status, 201)
    await data('POST', '/api/v1/memos', { body: { title: 'Memo', word: 'loginword' } })
    assert.deepEqual(await found('q=loginword'), ['Memo'])
    const changed = { attributes: attributes(true) }
    const { status, body } = await call('PATCH', '/api/v1/content-types/memo', { body: changed })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(await found('q=loginword'), [])
  })

  test('rest-conventions 10: what cannot be searched for is refused, with the parameter', async () => {
    refused(await call('GET', SEARCH), /q must have a word/)
    refused(await call('GET', `${SEARCH}?q=--`), /q must have a word/)
    refused(await call('GET', `${SEARCH}?q=${'a+'.repeat(11)}`), /at most 10/)
    refused(await call('GET', `${SEARCH}?q=a&types=nope`), /nope/)
    refused(await call('GET', `${SEARCH}?q=a&types=`), /types names no content type/)
    refused(await call('GET', `${SEARCH}?q=a&status=draft`), /status/)
    refused(await call('GET', `${SEARCH}?q=a&per_page=0`), /per_page/)
    assert.equal((await call('GET', `${SEARCH}?q=a`, { key: null })).status, 401)
    assert.equal((await call('GET', '/api/v2/search?q=a')).status, 404)
    assert.equal((await call('POST', `${SEARCH}?q=a`)).status, 405)
    for (const word of ['search', 'views', 'nodes', 'overview', 'integrations', 'proxy-pools']) {
      const name = { singularName: `a-${word}`, pluralName: word, attributes: {} }
      const { status, body } = await call('POST', '/api/v1/content-types', { body: name })
      assert.deepEqual([status, body.error.message.includes(word)], [409, true], word)
    }
  })
})
