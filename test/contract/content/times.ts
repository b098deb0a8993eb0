import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'

const TIDES = '/api/v1/tides'
const NODES = '/jsonapi/node/tide'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }

const MS = Date.UTC(2020, 0, 1)
/** What people and forms send, and what is stored of it. */
const SENT = [
  [{ high: String(MS), day: '2020-01-01T00:00' }, '2020-01-01T00:00:00.000Z'],
  [{ high: '2020-01-01T06:30', day: '2020-01-01T23:30:00-05:00' }, '2020-01-01T06:30:00.000Z'],
  [{ high: '2020-01-01T06:30:15.5', day: '2020-01-01' }, '2020-01-01T06:30:15.500Z'],
] as const
const WRONG = [
  { high: '2020-02-30T00:00' },
  { high: '253402300800000' },
  { day: '2020-02-30T00:00' },
  { day: String(MS) },
]

type Values = Readonly<Record<string, unknown>>

/** Times as people and forms send them, in every dialect that writes and in every filter. */
export const times = storeSuite('times of people and forms', ({ call, data }) => {
  before(async () => {
    const attributes = { high: { type: 'datetime' }, day: { type: 'date' } }
    const body = { singularName: 'tide', pluralName: 'tides', draftAndPublish: true, attributes }
    await data('POST', '/api/v1/content-types', { body })
  })

  const CREATE = 'mutation ($data: TideInput!) { createTide(data: $data) { data { id } } }'
  /** The id of what was made; undefined when it was refused as a fault of the caller. */
  const writers: Readonly<Record<string, (values: Values) => Promise<number | undefined>>> = {
    rest: async (values) => (await call('POST', TIDES, { body: values })).body.data?.id,
    cms: async (values) =>
      (await call('POST', '/api/tides', { body: { data: values } })).body.data?.id,
    jsonapi: async (values) => {
      const body = { data: { type: 'node--tide', attributes: { ...values, status: true } } }
      const made = await call('POST', NODES, { headers: JSONAPI, body })
      return made.body.data?.attributes.drupal_internal__nid
    },
    graphql: async (values) => {
      const body = { query: CREATE, variables: { data: values } }
      return (
        Number((await call('POST', '/graphql', { body })).body.data?.createTide?.data.id) ||
        undefined
      )
    },
  }

  for (const [dialect, write] of Object.entries(writers)) {
    test(`content-model 3.1: ${dialect} takes text of milliseconds, times without zone and days of times`, async () => {
      for (const [values, stored] of SENT) {
        const id = await write(values)
        assert.ok(id, JSON.stringify(values))
        const { high, day } = await data('GET', `${TIDES}/${id}`)
        assert.deepEqual({ high, day }, { high: stored, day: '2020-01-01' })
        await data('DELETE', `${TIDES}/${id}`)
      }
      for (const values of WRONG) {
        assert.equal(await write(values), undefined, JSON.stringify(values))
      }
      assert.equal((await call('GET', TIDES)).body.meta.total, 0, 'nothing wrong is stored')
    })
  }

  test('cms-rest 6: publishedAt is such a time, too', async () => {
    const publishedAt = '2020-01-01T00:00'
    const made = await call('POST', '/api/tides', { body: { data: { publishedAt } } })
    assert.equal(made.body.data.attributes.publishedAt, new Date(MS).toISOString())
    await data('DELETE', `${TIDES}/${made.body.data.id}`)
  })

  test('content-model 10.6: filters of every dialect take them', async () => {
    const { id } = await data('POST', TIDES, {
      body: { high: '2020-01-01T00:00:00Z', day: '2020-01-01' },
    })
    await data('POST', TIDES, { body: { high: '2021-01-01T00:00:00Z', day: '2021-01-01' } })
    const found: Readonly<Record<string, (high: string, day: string) => Promise<unknown>>> = {
      rest: async (high, day) => (await data('GET', `${TIDES}?high=${high}&day=${day}`))[0]?.id,
      'rest operators': async (high, day) =>
        (await data('GET', `${TIDES}?filters[high][$lte]=${high}&filters[day][$lte]=${day}`))[0]
          ?.id,
      cms: async (high, day) =>
        (await data('GET', `/api/tides?filters[high]=${high}&filters[day][$in][0]=${day}`))[0]?.id,
      graphql: (high, day) => asked('', 'filters', high, day, 'data{id}', 'data'),
      'graphql offset': (high, day) => asked('/offset', 'filter', high, day, 'items{id}', 'items'),
      jsonapi: async (high, day) =>
        (await call('GET', `${NODES}?filter[high]=${high}&filter[day]=${day}`)).body.data[0]
          ?.attributes.drupal_internal__nid,
    }
    for (const [dialect, find] of Object.entries(found)) {
      for (const [high, day] of [
        [String(MS), '2020-01-01T10:00'],
        ['2020-01-01T00:00', '2020-01-01T23:30:00-05:00'],
        ['2020-01-01T01:00:00%2B01:00', '2020-01-01'],
      ] as const) {
        assert.equal(await find(high, day), id, `${dialect} ${high} ${day}`)
      }
    }
    for (const late of ['253402300800000', '9999999999999999']) {
      const { status } = await call('GET', `${TIDES}?created_after=${late}`)
      assert.equal(status, 400, late)
    }
    for (const [early, count] of [
      [`${MS}`, 2],
      ['2020-01-01T00:00', 2],
      ['2030-01-01T00:00', 0],
    ] as const) {
      const query = `filter=contentType:tide&filter=createDate>:${early}`
      assert.equal((await call('GET', `${DELIVERED}?${query}`)).body.total, count, early)
    }
    const after = await call('GET', `${TIDES}?created_after=2020-01-01T00:00`)
    assert.equal(after.body.meta.total, 2)
  })

  async function asked(
    path: string,
    filter: string,
    high: string,
    day: string,
    shape: string,
    list: string,
  ): Promise<number> {
    const values = `{high:{eq:"${decodeURIComponent(high)}"},day:{eq:"${day}"}}`
    const query = encodeURIComponent(`{tides(${filter}:${values}){${shape}}}`)
    const { body } = await call('GET', `/graphql${path}?query=${query}`)
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
    return Number(body.data.tides[list][0]?.id)
  }
})
