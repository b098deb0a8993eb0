import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  eachDatabase,
  installation,
  shareServer,
  startServer,
} from '#test-kit'

const AT_ONCE = 25
const ENTRIES = 60
const CONTENT = '/cms/delivery/api/v2/content'

interface Item {
  readonly contentType: string
  readonly name: string
  readonly id: string
  readonly createDate: string
  readonly properties: Readonly<Record<string, unknown>>
}

export function manyTypes(types: number): void {
  eachDatabase(`${types} types`, (kind) => tests(kind, types))
}

function tests(kind: DatabaseKind, types: number) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY })),
  )
  const { call, ok, data } = createCalls(() => server().url)
  const list = async (query: string): Promise<{ total: number; items: Item[] }> =>
    ok('GET', `${CONTENT}?${query}`)
  const named = async (query: string) => (await list(query)).items.map(({ name }) => name)

  test('scale 16: twenty-five types of ten attributes are made at once, while others write', async () => {
    const waits: number[] = []
    for (let from = 0; from < types; from += AT_ONCE) {
      const contentTypes = Array.from({ length: AT_ONCE }, (_, n) => definition(from + n))
      let made: { status: number } | undefined
      const making = call('POST', '/api/v1/content-types/batch', { body: { contentTypes } })
      void making.then((answer) => {
        made = answer
      })
      while (!made && from > 0) {
        const startedMs = performance.now()
        await data('POST', '/api/v1/t0s', { body: { title: 'beside' } })
        waits.push(performance.now() - startedMs)
      }
      assert.equal((await making).status, 201)
    }
    assert.ok(waits.length > 0)
    const beside: { id: number }[] = await data('GET', '/api/v1/t0s?per_page=100&count=false')
    assert.ok(beside.length > 0)
  })

  test('scale 16: a list of all types is answered, in whatever order and with whatever filter', async () => {
    for (let n = 0; n < ENTRIES; n++) {
      const type = `t${(n * 7) % types}`
      const values = { title: titleOf(n), rank: n % 10, size: n / 4, words: [`w${n % 3}`] }
      const made = await data('POST', `/api/v1/${type}s`, { body: values })
      if (n % 6 === 0) {
        await data('PATCH', `/api/v1/${type}s/${made.id}`, { body: { next: made.id } })
      }
    }
    const all = await list('filter=properties.rank>:0&take=100')
    assert.equal(all.total, ENTRIES)
    const own = all.items
    assert.deepEqual(
      own.map(({ name }) => name),
      Array.from({ length: ENTRIES }, (_, n) => titleOf(n)),
      'without a sort by creation',
    )
    const filter = 'filter=properties.rank>:0'
    const byRank = own.toSorted(
      (a, b) => Number(b.properties['rank']) - Number(a.properties['rank']),
    )
    assert.deepEqual(
      await named(`${filter}&sort=properties.rank:desc&take=100`),
      byRank.map(({ name }) => name),
    )
    const byName = own.map(({ name }) => name).toSorted(byFold)
    assert.deepEqual(await named(`${filter}&sort=name:asc&take=100`), byName)
    assert.deepEqual(await named(`${filter}&sort=name:asc&take=7&skip=30`), byName.slice(30, 37))
    assert.deepEqual(await named(`${filter}&sort=name:desc&take=100`), byName.toReversed())
    assert.deepEqual((await list(`${filter}&take=0`)).total, ENTRIES)
    assert.deepEqual(await named(`${filter}&skip=1000`), [])
    const tagged = own.filter(({ properties }) => `${properties['words']}` === 'w1')
    assert.deepEqual(
      await named('filter=properties.words:w1&take=100'),
      tagged.map(({ name }) => name),
    )
    const beyond = await list('take=100')
    assert.ok(beyond.total > ENTRIES)
  })

  test('scale 16: what is listed with all types is what each says of itself', async () => {
    const { items } = await list('filter=properties.rank>:0&take=60&expand=all')
    const ids = items.map(({ id }) => `id=${id}`).join('&')
    const again: Item[] = await ok('GET', `${CONTENT}/items?${ids}&expand=all`)
    assert.deepEqual(again, items)
    for (const item of items.slice(0, 12)) {
      assert.deepEqual(await ok('GET', `${CONTENT}/item/${item.id}?expand=all`), item)
      const query = `filter=contentType:${item.contentType},properties.rank>:0&expand=all`
      const { items: own } = await list(query)
      assert.ok(own.some((each) => JSON.stringify(each) === JSON.stringify(item)))
    }
    const linked = items.find(({ properties }) => properties['next'] !== null)
    assert.ok(linked, 'relations are shown')
  })

  test('scale 16: the description of all types comes while others are answered, and is kept small', async () => {
    const waits: number[] = []
    let isDone = false
    const asking = (async () => {
      while (!isDone) {
        const startedMs = performance.now()
        await fetch(`${server().url}/health`).then((answer) => answer.arrayBuffer())
        waits.push(performance.now() - startedMs)
      }
    })()
    const read = async () => (await fetch(`${server().url}/api/v1/openapi.json`)).text()
    const [text, same] = await Promise.all([read(), read()])
    isDone = true
    await asking
    assert.equal(text, same)
    const document = JSON.parse(text)
    for (const n of [0, 24, 25, types - 1]) {
      assert.ok(document.paths[`/api/v1/t${n}s`].post, `t${n}`)
      assert.ok(document.components.schemas[`t${n}`], `t${n}`)
      assert.ok(document.webhooks[`t${n}.created`], `t${n}`)
    }
    assert.ok(waits.length > 5, `${waits.length} answers meanwhile`)
    const body = { attributes: { extra: { type: 'string' } } }
    await data('PATCH', '/api/v1/content-types/t7', { body })
    assert.ok(JSON.parse(await read()).components.schemas.t7.properties.extra)
  })

  test('scale 16: entries that are changed, hidden and removed are seen at once', async () => {
    const { items } = await list('filter=properties.rank:3&take=100')
    const [first] = items
    assert.ok(first)
    const path = `/api/v1/${first.contentType}s`
    const [entry] = await data('GET', `${path}?document_id=${first.id}`)
    await data('PATCH', `${path}/${entry.id}`, { body: { rank: 4 } })
    assert.equal((await list('filter=properties.rank:3')).total, items.length - 1)
    assert.equal((await call('DELETE', `${path}/${entry.id}`)).status, 204)
    assert.equal((await call('GET', `${CONTENT}/item/${first.id}`)).status, 404)
    assert.equal((await list('filter=properties.rank>:0')).total, ENTRIES - 1)
  })
}

function titleOf(n: number): string {
  return `${['Zoo', 'apple', 'Ärger', '𝒜lpha', 'Öl', 'beta'][n % 6]} ${(n * 37) % 101}`
}

/** By code points of the folded text, then of the text (content model §10.2). */
function byFold(a: string, b: string): number {
  const order = (x: string, y: string) => Buffer.compare(Buffer.from(x), Buffer.from(y))
  return order(a.normalize('NFC').toLowerCase(), b.normalize('NFC').toLowerCase()) || order(a, b)
}

/** The first batch as findings/scale.md has it; the others are there to be many. */
function definition(n: number) {
  const attributes = {
    title: { type: 'string' },
    rank: { type: 'integer' },
    size: { type: 'decimal' },
    words: { type: 'tags' },
    next: { type: 'relation', relation: 'manyToOne', target: `t${n}` },
  }
  const more = {
    slug: { type: 'uid', targetField: 'title' },
    body: { type: 'text' },
    when: { type: 'datetime' },
    cover: { type: 'media' },
    flag: { type: 'boolean' },
  }
  return {
    ...{ singularName: `t${n}`, pluralName: `t${n}s`, draftAndPublish: n === 0 },
    attributes: n < AT_ONCE ? { ...attributes, ...more } : attributes,
  }
}
