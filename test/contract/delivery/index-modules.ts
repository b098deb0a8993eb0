import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { until } from '#test-kit'
import { CONTENT, deliverySuite } from './support.ts'

export const indexModules = deliverySuite('fields of index modules', (delivery) => {
  const { create, data, call, ok, refused, ids, get } = delivery
  const names = new Map<string, string>()
  const of: Record<string, { id: number; document_id: string }> = {}

  before(async () => {
    const author = await create('authors', { name: 'Ada' })
    await add('a', { title: 'Zebra cake', words: ['3', '9'], day: '2026-01-01' })
    await add('b', { title: 'An apple', words: ['5'], day: '2026-02-01', author: author.id })
    await add('c', { title: 'Ärger', words: [], author: author.id })
    of['author'] = author
  })

  async function add(letter: string, body: object) {
    const made = await create('articles', body)
    names.set(made.document_id, letter)
    of[letter] = made
  }

  /** The letters of the articles that are found, in order. */
  async function found(query: string, headers: Record<string, string> = {}): Promise<string> {
    const all = await ids(`filter=contentType:article&${query}`, headers)
    return all.map((id) => names.get(id) ?? '?').join('')
  }

  test('delivery 18: what a module says is filtered and sorted by, as the type of its field says', async () => {
    const filter = (text: string) => found(`filter=${encodeURIComponent(text)}`)
    assert.equal(await filter('titleLength>5'), 'ab')
    assert.equal(await filter('titleLength:5'), 'c')
    assert.equal(await filter('firstLetter:A'), 'b')
    assert.equal(await filter('firstLetter:a'), '')
    assert.equal(await filter('titleOrder:APPLE AN'), 'b')
    assert.equal(await filter('titleWords:CAKE'), 'a')
    assert.equal(await filter('titleWords:cak'), '')
    assert.equal(await filter('halfway>2026-01-15'), 'b')
    assert.equal(await filter('halfway:2026-01-01'), 'a')
    assert.equal(await filter('halfway:!2026-01-01'), 'bc')
    assert.equal(await filter(`authorId:${of['author']?.document_id}`), 'bc')
    // One of several values must match, and a list with none matches no comparison.
    assert.equal(await filter('stations>4'), 'ab')
    assert.equal(await filter('stations<4'), 'a')
    assert.equal(await filter('stations:!5'), 'ac')
    assert.equal(await filter('TITLELENGTH:5,10'), 'ac')
  })

  test('delivery 18: several values sort by the least, descending by the greatest, and none is lowest', async () => {
    assert.equal(await found('sort=stations:asc'), 'cab')
    assert.equal(await found('sort=stations:desc'), 'abc')
    assert.equal(await found('sort=titleOrder:asc'), 'bac')
    assert.equal(await found('sort=halfway:desc'), 'bac')
    await refused(400, `${CONTENT}?sort=titleWords:asc`)
    await refused(400, `${CONTENT}?filter=titleWords>a`)
    await refused(400, `${CONTENT}?filter=titleLength>long`)
    await refused(400, `${CONTENT}?filter=halfway>soon`)
  })

  test('delivery 18: a field that varies by culture is said of each language', async () => {
    const { document_id } = await create('pages', { title: 'Harbour' })
    await create('pages', { title: 'Havn', locale: 'da', document_id })
    const titles = async (culture: string, filter: string) => {
      const query = `culture=${culture}&filter=contentType:page&filter=${filter}`
      const { items } = await ok(`${CONTENT}?${query}`)
      return items.map(({ name }: { name: string }) => name).join()
    }
    assert.equal(await titles('da', 'language:da'), 'Havn')
    assert.equal(await titles('en', 'language:da'), '')
    assert.equal(await titles('en', 'titleLength:7'), 'Harbour')
    assert.equal(await titles('da', 'titleLength:7'), '')
    assert.equal(await found('filter=language:none'), 'abc', 'of types without languages')
    assert.equal((await ok(`${CONTENT}?filter=contentType:article,firstLetter:Z`)).total, 1)
  })

  test('delivery 18: the next request sees what was saved, published, unpublished and deleted', async () => {
    await add('d', { title: 'Quince', words: ['70'] })
    const url = `/api/v1/articles/${of['d']?.id}`
    assert.equal(await found('filter=stations:70'), 'd')
    await data('PATCH', url, { body: { words: ['71'] } })
    assert.equal(await found('filter=stations:70'), '')
    assert.equal(await found('filter=stations:71'), 'd')
    await data('PATCH', `${url}?status=draft`, { body: { words: ['72'] } })
    assert.equal(await found('filter=stations:72'), '', 'a draft is not delivered')
    const { key } = await delivery.keyOf('write')
    const preview = { preview: 'true', 'api-key': key }
    assert.equal(await found('filter=stations:72', preview), 'd')
    assert.equal(await found('filter=stations:71', preview), '')
    await data('POST', `${url}/unpublish`, { body: {} })
    assert.equal(await found('filter=stations:71'), '')
    await data('POST', `${url}/publish`, { body: {} })
    assert.equal(await found('filter=stations:72'), 'd')
    assert.equal((await call('DELETE', url)).status, 204)
    assert.equal(await found('filter=stations>50'), '')
  })

  test('delivery 18: a module that fails of one entry costs that entry its values and nothing else', async () => {
    await add('e', { title: 'Broken', words: ['400'] })
    assert.equal(await found('filter=titleLength:6'), '')
    assert.equal(await found('filter=stations:400'), 'e')
    assert.equal(await found('sort=titleLength:desc'), 'abce')
  })

  test('delivery 18: while many entries wait the answer is 503, and never a part of them', async () => {
    const operations = Array.from({ length: 500 }, (_, n) => ({
      op: 'create',
      data: { name: `Thing${n % 2}` },
    }))
    await data('POST', '/api/v1/notes/bulk', { body: { operations } })
    const asked = async () => {
      const answer = await get(`${CONTENT}?filter=contentType:note,firstLetter:T&take=1`)
      if (answer.status !== 503) return answer
      assert.equal(answer.headers.get('retry-after'), '1')
      return undefined
    }
    const answers: number[] = []
    const isThere = async () => {
      const answer = await asked()
      if (answer) answers.push(answer.body.total)
      return answer !== undefined
    }
    await until(isThere, { withinMs: 60_000, what: 'the fields of all notes' })
    assert.deepEqual(answers, [500])
  })

  test('delivery 18: a new attribute of a type, and a changed one, are what modules see next', async () => {
    const attributes = { day: { type: 'date' } }
    await data('PATCH', '/api/v1/content-types/note', { body: { attributes } })
    await create('notes', { name: 'Dated', day: '2030-05-05' })
    const there = async () => {
      const answer = await get(`${CONTENT}?filter=contentType:note,halfway:2030-05-05`)
      return answer.status === 200 && answer.body.total === 1
    }
    await until(there, { withinMs: 60_000, what: 'the new attribute' })
  })

  test('delivery 18: a type that goes while modules are asked about it fails no request, and is not found under its name again', async () => {
    const leaf = {
      ...{ singularName: 'leaf', pluralName: 'leaves' },
      attributes: { name: { type: 'string' } },
    }
    await data('POST', '/api/v1/content-types', { body: leaf })
    const operations = Array.from({ length: 500 }, () => ({
      op: 'create',
      data: { name: 'Xylem' },
    }))
    await data('POST', '/api/v1/leaves/bulk', { body: { operations } })
    const statuses = new Set<number>()
    const ask = async () => {
      const answer = await get(`${CONTENT}?filter=firstLetter:X&take=1`)
      statuses.add(answer.status)
      return answer
    }
    const asking = Promise.all([1, 2, 3, 4].map(ask))
    assert.equal((await call('DELETE', '/api/v1/content-types/leaf?force=true')).status, 204)
    await asking
    const totalIs = (count: number) => async () => {
      const { status, body } = await ask()
      return status === 200 && body.total === count
    }
    await until(totalIs(0), { withinMs: 60_000, what: 'a list without the type' })
    await data('POST', '/api/v1/content-types', { body: leaf })
    await create('leaves', { name: 'Xerophyte' })
    await until(totalIs(1), { withinMs: 60_000, what: 'the new one alone' })
    // 404: the type went while the list was read (content model §11).
    const others = [...statuses].filter((status) => ![200, 404, 503].includes(status))
    assert.deepEqual(others, [])
  })
})
