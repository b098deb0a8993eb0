import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { relationTo } from '#test-kit'
import { storeSuite } from './support.ts'

const TYPES = [
  { singularName: 'town', pluralName: 'towns', attributes: { name: { type: 'string' } } },
  {
    singularName: 'trip',
    pluralName: 'trips',
    attributes: {
      title: { type: 'string' },
      days: { type: 'integer' },
      guided: { type: 'boolean' },
      town: relationTo('manyToOne', 'town'),
    },
  },
]

const NODES = '/jsonapi/node/trip'
const DELIVERED = '/cms/delivery/api/v2/content'

interface Template {
  readonly name: string
  url(value: string): string
  /** Of one class each: the first may be compiled, the others not. */
  readonly values: readonly string[]
}

const condition = (path: string, operator: string, value: string) =>
  `filter[c][condition][path]=${path}&filter[c][condition][operator]=${operator}&filter[c][condition][value]=${value}`
const delivered = (filter: string) =>
  `${DELIVERED}?expand=properties[town]&filter=contentType:trip&filter=${encodeURIComponent(filter)}`

const SEARCHED = ['ro', 'lis', 'no such', 'r%C3%B6', '%25']
const SPACED = ['Las Vegas', 'New%20York', 'San+Juan', ' ', 'x'.repeat(300)]
const NUMBERS = ['5', '7', '-1', '2000000000', '007']
const PAGES = ['2', '3', '4', '50']
const STARTS = ['1', '2', '3', '50']

const bracketed = (path: string, more: string): readonly Template[] => [
  {
    name: 'equality',
    url: (value) => `${path}filters[title][$eq]=${value}${more}`,
    values: SPACED,
  },
  {
    name: 'part of a text',
    url: (value) => `${path}filters[title][$containsi]=${value}${more}`,
    values: SEARCHED,
  },
  { name: 'number', url: (value) => `${path}filters[days][$gte]=${value}${more}`, values: NUMBERS },
]

const DIALECTS: Readonly<Record<string, readonly Template[]>> = {
  'api/v1': [
    { name: 'search', url: (value) => `/api/v1/trips?include=town&q=${value}`, values: SEARCHED },
    { name: 'page', url: (value) => `/api/v1/trips?per_page=1&page=${value}`, values: PAGES },
    ...bracketed('/api/v1/trips?', '&include=town'),
  ],
  cms: [
    { name: 'search', url: (value) => `/api/trips?populate=town&_q=${value}`, values: SEARCHED },
    {
      name: 'page',
      url: (value) => `/api/trips?populate=town&pagination[pageSize]=1&pagination[page]=${value}`,
      values: PAGES,
    },
    ...bracketed('/api/trips?populate=town&', ''),
    ...bracketed('/api/trips?fields=title&', ''),
  ],
  jsonapi: [
    {
      name: 'part of a text',
      url: (value) => `${NODES}?include=town&${condition('title', 'CONTAINS', value)}`,
      values: SEARCHED,
    },
    {
      name: 'equality',
      url: (value) => `${NODES}?include=town&filter[title]=${value}`,
      values: SPACED.filter((value) => value !== ' '),
    },
    {
      name: 'number',
      url: (value) => `${NODES}?include=town&${condition('days', '%3E%3D', value)}`,
      values: NUMBERS,
    },
    {
      name: 'page',
      url: (value) => `${NODES}?include=town&page[limit]=1&page[offset]=${value}`,
      values: STARTS,
    },
  ],
  delivery: [
    { name: 'name', url: (value) => delivered(`name:"${decode(value)}"`), values: SPACED },
    { name: 'number', url: (value) => delivered(`properties.days>:${value}`), values: NUMBERS },
    {
      name: 'page',
      url: (value) => `${DELIVERED}?filter=contentType:trip&take=1&skip=${value}`,
      values: STARTS,
    },
  ],
}

function decode(value: string): string {
  return decodeURIComponent(value.replaceAll('+', ' '))
}

/** An answer depends on the question and on what is stored, never on what others asked before. */
export const askedBefore = storeSuite('what was asked before', ({ server, call, data, ok }) => {
  before(async () => {
    await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
    const town = await data('POST', '/api/v1/towns', { body: { name: 'Rome' } })
    for (const [title, days, guided] of [
      ['Las Vegas', 5, true],
      ['New York', 7, false],
      ['San Juan', 9, null],
    ] as const) {
      await data('POST', '/api/v1/trips', { body: { title, days, guided, town_id: town.id } })
    }
  })

  const asked = async (path: string) => {
    const { status, body } = await call('GET', path, { key: null })
    return { status, text: JSON.stringify(body) }
  }

  test('reads finding 1: a value that a boolean does not have is refused, whatever was asked before', async () => {
    for (const operator of ['$eq', '$ne', '$eqi', '$nei']) {
      const at = (value: string) => `/api/trips?filters[guided][${operator}]=${value}`
      const first = await asked(at('7'))
      assert.equal(first.status, 400, first.text)
      for (const value of ['0', '1', '0', 'true', 'false']) {
        assert.equal((await asked(at(value))).status, 200, value)
      }
      assert.deepEqual(await asked(at('7')), first, operator)
      assert.equal((await asked(at('8'))).status, 400, operator)
    }
  })

  const compiled = async () => {
    const { body } = await call('GET', '/metrics')
    return Number(/^content_plans_compiled (\d+)$/m.exec(body)?.[1])
  }

  test('reads finding 2: answers that name another host compile nothing', async () => {
    const { port } = new URL(server().url)
    const path = `${NODES}?include=town`
    const linksOf = async (host: string) => {
      const [answer] = await once(get({ port, path, headers: { host } }), 'response')
      const { data, included } = JSON.parse(await text(answer))
      return [...data, ...included].map(({ links }) => String(links.self.href))
    }
    await linksOf('a.example.org')
    const before = await compiled()
    for (const host of ['b.example.org', 'c.example.org']) {
      const links = await linksOf(host)
      assert.equal(links.length, 4)
      for (const link of links) assert.ok(link.startsWith(`http://${host}/`), link)
    }
    assert.equal((await compiled()) - before, 0)
  })

  for (const [dialect, templates] of Object.entries(DIALECTS)) {
    test(`reads finding 2: of questions that differ in a value alone ${dialect} compiles one`, async () => {
      const begun = await compiled()
      for (const { name, url, values } of templates) {
        const [first = '', ...others] = values
        const key = dialect === 'api/v1' ? {} : { key: null }
        await ok('GET', url(first), key)
        const before = await compiled()
        for (const value of others) await ok('GET', url(value), key)
        assert.equal((await compiled()) - before, 0, `${name}: ${url(others[0] ?? '')}`)
      }
      assert.ok((await compiled()) > begun, 'plans are counted')
    })
  }
})
