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
  readonly values: readonly string[] | (() => readonly string[])
}

/** Of the entries that the suite makes. */
const ids: string[] = []
const documents: string[] = []
const towns: string[] = []

const condition = (path: string, operator: string, value: string) =>
  `filter[c][condition][path]=${path}&filter[c][condition][operator]=${operator}&filter[c][condition][value]=${value}`
const delivered = (filter: string) =>
  `${DELIVERED}?expand=properties[town]&filter=contentType:trip&filter=${encodeURIComponent(filter)}`

/** The search index serves what has three characters at least. */
const SEARCHED = ['rom', 'lis', 'no such', 'r%C3%B6m', 'a%25b']
const SHORT = ['ro', 'r%C3%B6', 'o', '%25']
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
  {
    name: 'one of two',
    url: (value) => `${path}filters[days][$in][0]=5&filters[days][$in][1]=${value}${more}`,
    values: NUMBERS,
  },
  {
    name: 'through a relation',
    url: (value) => `${path}filters[town][name][$eqi]=${value}${more}`,
    values: SPACED,
  },
  {
    name: 'id of a relation',
    url: (value) => `${path}filters[town]=${value}${more}`,
    values: NUMBERS.filter((value) => value !== '-1'),
  },
]

const DIALECTS: Readonly<Record<string, readonly Template[]>> = {
  'api/v1': [
    { name: 'search', url: (value) => `/api/v1/trips?include=town&q=${value}`, values: SEARCHED },
    {
      name: 'short search',
      url: (value) => `/api/v1/trips?include=town&q=${value}`,
      values: SHORT,
    },
    { name: 'page', url: (value) => `/api/v1/trips?per_page=1&page=${value}`, values: PAGES },
    ...bracketed('/api/v1/trips?', '&include=town'),
    { name: 'plain filter', url: (value) => `/api/v1/trips?title=${value}`, values: SPACED },
    { name: 'plain relation', url: (value) => `/api/v1/trips?town_id=${value}`, values: PAGES },
    { name: 'keyset', url: (value) => `/api/v1/trips?after_id=${value}`, values: PAGES },
    {
      name: 'later than',
      url: (value) => `/api/v1/trips?created_after=${value}`,
      values: ['2020-01-02', '2021-02-03', '2022-03-04'],
    },
    { name: 'entry', url: (value) => `/api/v1/trips/${value}?include=town`, values: () => ids },
    { name: 'document', url: (value) => `/api/v1/trips/${value}`, values: () => documents },
    { name: 'below', url: (value) => `/api/v1/trips/${value}/town`, values: () => ids },
  ],
  cms: [
    { name: 'search', url: (value) => `/api/trips?populate=town&_q=${value}`, values: SEARCHED },
    { name: 'short search', url: (value) => `/api/trips?populate=town&_q=${value}`, values: SHORT },
    {
      name: 'page',
      url: (value) => `/api/trips?populate=town&pagination[pageSize]=1&pagination[page]=${value}`,
      values: PAGES,
    },
    ...bracketed('/api/trips?populate=town&', ''),
    ...bracketed('/api/trips?fields=title&', ''),
    {
      name: 'populated by a filter',
      url: (value) => `/api/trips?populate[town][filters][name][$contains]=${value}`,
      values: SEARCHED,
    },
    { name: 'keyset', url: (value) => `/api/trips?after_id=${value}`, values: PAGES },
    { name: 'entry', url: (value) => `/api/trips/${value}?populate=town`, values: () => ids },
    { name: 'document', url: (value) => `/api/trips/${value}`, values: () => documents },
  ],
  'api/upload': [
    { name: 'search', url: (value) => `/api/upload/files?_q=${value}`, values: SEARCHED },
    {
      name: 'name',
      url: (value) => `/api/upload/files?filters[name][$containsi]=${value}`,
      values: SEARCHED,
    },
    { name: 'page', url: (value) => `/api/upload/files?pagination[page]=${value}`, values: PAGES },
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
    {
      name: 'one of two',
      url: (value) =>
        `${NODES}?filter[days][operator]=IN&filter[days][value][]=5&filter[days][value][]=${value}`,
      values: NUMBERS,
    },
    {
      name: 'through a relation',
      url: (value) => `${NODES}?filter[town.name]=${value}`,
      values: SEARCHED,
    },
    {
      name: 'author',
      url: (value) => `${NODES}?filter[uid.display_name]=${value}`,
      values: SEARCHED,
    },
    { name: 'entry', url: (value) => `${NODES}/${value}?include=town`, values: () => documents },
    { name: 'below', url: (value) => `${NODES}/${value}/town`, values: () => documents },
    {
      name: 'file',
      url: (value) => `/jsonapi/file/file?filter[filename]=${value}`,
      values: SEARCHED,
    },
    {
      name: 'page of files',
      url: (value) => `/jsonapi/file/file?page[offset]=${value}`,
      values: STARTS,
    },
  ],
  delivery: [
    {
      name: 'name',
      url: (value) => delivered(`name:"${decode(value)}"`),
      values: SPACED.filter((value) => value !== ' '),
    },
    {
      name: 'short name',
      url: (value) => delivered(`name:"${decode(value)}"`),
      values: [' ', ...SHORT],
    },
    { name: 'number', url: (value) => delivered(`properties.days>:${value}`), values: NUMBERS },
    {
      name: 'page',
      url: (value) => `${DELIVERED}?filter=contentType:trip&take=1&skip=${value}`,
      values: STARTS,
    },
    {
      name: 'alternatives',
      url: (value) => delivered(`properties.days:5,${value}`),
      values: NUMBERS,
    },
    {
      name: 'relation',
      url: (value) => delivered(`properties.town:${value}`),
      values: () => towns,
    },
    { name: 'item', url: (value) => `${DELIVERED}/item/${value}`, values: () => documents },
    {
      name: 'items',
      url: (value) => `${DELIVERED}/items?id=${value}&id=${documents[0]}`,
      values: () => documents,
    },
    {
      name: 'children',
      url: (value) => `${DELIVERED}?fetch=children:${value}`,
      values: () => documents,
    },
    {
      name: 'media',
      url: (value) => `/cms/delivery/api/v2/media?filter=name:"${value}"`,
      values: SEARCHED,
    },
    {
      name: 'page of media',
      url: (value) => `/cms/delivery/api/v2/media?skip=${value}`,
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
    const other = await data('POST', '/api/v1/towns', { body: { name: 'Lisbon' } })
    towns.splice(0, towns.length, town.document_id, other.document_id)
    ids.length = 0
    documents.length = 0
    for (const [title, days, guided] of [
      ['Las Vegas', 5, true],
      ['New York', 7, false],
      ['San Juan', 9, null],
    ] as const) {
      const body = { title, days, guided, town_id: town.id }
      const trip = await data('POST', '/api/v1/trips', { body })
      ids.push(String(trip.id))
      documents.push(trip.document_id)
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
        const [first = '', ...others] = typeof values === 'function' ? values() : values
        const key = dialect.startsWith('api/') ? {} : { key: null }
        await ok('GET', url(first), key)
        const before = await compiled()
        for (const value of others) await ok('GET', url(value), key)
        assert.equal((await compiled()) - before, 0, `${name}: ${url(others[0] ?? '')}`)
      }
      assert.ok((await compiled()) > begun, 'plans are counted')
    })
  }
})
