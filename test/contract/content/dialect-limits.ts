import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { relationTo } from '#test-kit'
import { storeSuite } from './support.ts'

const TYPES = 20
const DELIVERED = '/cms/delivery/api/v2/content'

function times<Made>(count: number, make: (at: number) => Made): Made[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** None of these is the one that things have. */
function dayAt(at: number): string {
  return new Date(Date.UTC(2020, 0, 1 + at)).toISOString().slice(0, 10)
}

function noDocument(at: number): string {
  return `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
}

/** Filters as long as each dialect says they may be, over twenty types. */
export const dialectLimits = storeSuite(
  'filters at the limits of each dialect',
  ({ call, data }) => {
    let owner = { id: 0, document_id: '' }
    before(async () => {
      const attributes = {
        ...{ name: { type: 'string' }, note: { type: 'text' }, words: { type: 'tags' } },
        ...{ count: { type: 'integer' }, at: { type: 'datetime' }, day: { type: 'date' } },
        owner: relationTo('manyToOne', 'owner'),
        friends: relationTo('manyToMany', 'owner'),
      }
      const contentTypes = times(TYPES, (at) => ({
        ...{ singularName: `thing${at}`, pluralName: `things${at}`, attributes },
      }))
      const named = { name: { type: 'string' } }
      const own = {
        singularName: 'owner',
        pluralName: 'owners',
        localized: true,
        attributes: named,
      }
      const body = { contentTypes: [own, ...contentTypes] }
      await data('POST', '/api/v1/content-types/batch', { body })
      owner = await data('POST', '/api/v1/owners', { body: { name: 'Ada' } })
      for (const at of [0, 7, 19]) {
        const text = { name: 'needle', note: 'in a hay stack', words: ['sharp'], count: 3 }
        const times = { at: '2026-01-05T10:00:00Z', day: '2026-01-05' }
        const thing = { ...text, ...times, owner_id: owner.id, friends: [owner.id] }
        await data('POST', `/api/v1/things${at}`, { body: thing })
      }
    })

    const read = async (path: string) => {
      // Whatever takes longer than the time limit of reads is answered with 503.
      const { status, body } = await call('GET', path)
      assert.equal(
        status,
        200,
        `${path.slice(0, 80)}: ${status} ${JSON.stringify(body).slice(0, 300)}`,
      )
      return body
    }

    test('jsonapi 4: 500 conditions are answered in every form, one more is 400 with its place', async () => {
      const condition = (at: number, operator: string, value: string) =>
        `filter[${at}][path]=note&filter[${at}][operator]=${operator}&filter[${at}][value]=${value}`
      const all = (count: number, operator: string) =>
        times(count, (at) => condition(at, operator, `x${at}`)).join('&')
      const place = '/jsonapi/node/thing0'
      assert.equal((await read(`${place}?${all(500, '%3C%3E')}`)).meta.count, 1)
      assert.equal((await read(`${place}?${all(500, 'CONTAINS')}`)).meta.count, 0)
      const either = times(
        470,
        (at) =>
          `filter[${at}][path]=name&filter[${at}][value]=${at === 3 ? 'Needle' : at}&filter[${at}][memberOf]=g`,
      ).join('&')
      const group = 'filter[g][group][conjunction]=OR'
      assert.equal((await read(`${place}?${group}&${either}`)).meta.count, 1)
      const { status, body } = await call('GET', `${place}?${all(501, '%3C%3E')}`)
      assert.equal(status, 400)
      assert.equal(body.errors[0].source.parameter, 'filter')
    })

    test('delivery 9: 50 expressions of as many alternatives as a query can hold, over all types', async () => {
      const found = async (filter: string) =>
        (
          await read(
            `${DELIVERED}?take=100&filter=${encodeURIComponent(filter).replaceAll('%2C', ',').replaceAll('%3A', ':')}`,
          )
        ).total
      const values = times(48, (at) => `${'abcdefghijklmnopqrstuvwxyz'[at % 26]}${at % 10}`)
      const many = (field: string, own: string) =>
        times(50, () => `${field}:${[own, ...values].slice(0, 40).join(',')}`).join(',')
      assert.equal(await found(many('name', 'eedl')), 3)
      const refused = async (filter: string) => {
        const { status, body } = await call('GET', `${DELIVERED}?filter=${filter}`)
        assert.equal(status, 400)
        return body.position
      }
      assert.equal(await refused(times(51, () => 'name:a').join(',')), 50 * 'name:a,'.length)
      assert.equal(await refused(`name:${times(101, () => 'a').join(',')}`), 'name:'.length + 200)
    })

    test('cms-rest 5, rest-conventions 5: as many conditions as a query can hold', async () => {
      const groups = (count: number, operator: string) =>
        times(count, (at) => {
          const value = at === 5 ? 'needle' : `v${at}`
          return `filters[$or][${at % 90}][$or][${Math.floor(at / 90)}][name][${operator}]=${value}`
        }).join('&')
      for (const operator of ['$eqi', '$containsi', '$eq']) {
        const query = groups(900, operator)
        const { meta } = await read(`/api/things7?${query}`)
        assert.equal(meta.pagination.total, 1, operator)
      }
      const { meta } = await read(`/api/v1/things7?${groups(900, '$startsWith')}`)
      assert.equal(meta.total, 1)
    })

    test('cms-rest 5, rest-conventions 5: as many relations and days as a query can hold', async () => {
      const groups = (field: string, own: string, other: (at: number) => string) =>
        times(700, (at) => {
          const value = at === 5 ? own : other(at)
          return `filters[$or][${at % 70}][$or][${Math.floor(at / 70)}]${field}=${value}`
        }).join('&')
      const asked = [
        groups('[owner][id][$eq]', String(owner.id), (at) => String(at + 100)),
        groups('[owner][name][$containsi]', 'AD', (at) => `v${at}`),
        groups('[day][$eq]', '2026-01-05', dayAt),
        groups('[at][$eq]', '2026-01-05T10:00:00.000Z', (at) => `${dayAt(at)}T10:00:00.000Z`),
      ]
      for (const query of asked) {
        assert.equal((await read(`/api/things7?${query}`)).meta.pagination.total, 1, query)
        assert.equal((await read(`/api/v1/things7?${query}`)).meta.total, 1, query)
      }
    })

    test('jsonapi 4: 499 alternatives of a relationship and of days', async () => {
      const group = 'filter[g][group][conjunction]=OR'
      const either = (path: string, own: string, other: (at: number) => string) =>
        times(499, (at) => {
          const value = at === 3 ? own : other(at)
          return `filter[${at}][path]=${path}&filter[${at}][value]=${value}&filter[${at}][memberOf]=g`
        }).join('&')
      const asked = [
        either('owner.id', owner.document_id, noDocument),
        either('owner.name', 'ada', (at) => `v${at}`),
        either('day', '2026-01-05', dayAt),
        either('at', '2026-01-05T10:00:00Z', (at) => `${dayAt(at)}T10:00:00Z`),
      ]
      for (const query of asked) {
        const { meta } = await read(`/jsonapi/node/thing0?${group}&${query}`)
        assert.equal(meta.count, 1, query.slice(0, 60))
      }
      const all = times(
        500,
        (at) =>
          `filter[${at}][path]=owner.name&filter[${at}][operator]=%3C%3E&filter[${at}][value]=v${at}`,
      )
      assert.equal((await read(`/jsonapi/node/thing0?${all.join('&')}`)).meta.count, 1)
    })

    test('delivery 9: days up to the length of a query, over all types', async () => {
      const found = async (expressions: readonly string[]) =>
        (await read(`${DELIVERED}?take=100&filter=${expressions.join(',')}`)).total
      const days = times(95, dayAt)
      for (const field of ['properties.at', 'properties.day']) {
        const many = times(7, () => `${field}:${['2026-01-05', ...days].join(',')}`)
        assert.equal(await found(many), 3, field)
        assert.equal(await found(times(7, () => `${field}:${days.join(',')}`)), 0, field)
      }
      const few = times(50, () => `properties.at:${['2026-01-05', ...days.slice(0, 6)].join(',')}`)
      assert.equal(await found(few), 3)
    })

    test('delivery 9: 50 expressions of few alternatives of every kind of value, relations and tags too, positive and negated', async () => {
      const total = async (expressions: readonly string[]) =>
        (await read(`${DELIVERED}?take=100&filter=${expressions.join(',')}`)).total
      const numbers = times(7, (at) => String(at + 10))
      const words = times(7, (at) => `v${at}`)
      const days = times(7, dayAt)
      const documents = times(100, noDocument)
      const fields = [
        ...[['properties.at', '2026-01-05', days] as const],
        ...[['properties.day', '2026-01-05', days] as const],
        ...[['properties.count', '3', numbers] as const],
        ...[['properties.name', 'Needle', words] as const],
        ...[['name', 'eedl', words] as const],
        ...[['properties.words', 'sharp', words] as const],
        ...[['properties.owner', owner.document_id, documents.slice(0, 2)] as const],
        ...[['properties.friends', owner.document_id, documents.slice(0, 2)] as const],
      ]
      // Entries that are no things have none of these, which `:!` is true of.
      const all = (await read(`${DELIVERED}?take=0`)).total
      for (const [field, own, others] of fields) {
        const any = times(50, () => `${field}:${[own, ...others].join(',')}`)
        assert.equal(await total(any), 3, field)
        const without = times(50, () => `${field}:!${[own, ...others].slice(0, 3).join(',')}`)
        assert.equal(await total(without), all - 3, `${field}:! with its own`)
      }
      for (const field of ['properties.owner', 'properties.friends']) {
        const hundred = [owner.document_id, ...documents.slice(0, 99)].join(',')
        assert.equal(await total([`${field}:${hundred}`]), 3)
        assert.equal(await total([`${field}:!${hundred}`]), all - 3)
        assert.equal(await total(times(50, () => `${field}:${owner.document_id}`)), 3)
      }
      assert.equal(await total(times(50, (at) => `properties.at>${dayAt(at)}`)), 3)
      assert.equal(await total([`properties.at:!${times(95, dayAt).join(',')}`]), all)
    })

    test('delivery 9, cms-rest 5: many conditions of one field may each be fulfilled by another of its values', async () => {
      const others: { id: number; document_id: string }[] = []
      for (const name of ['Bea', 'Cleo'])
        others.push(await data('POST', '/api/v1/owners', { body: { name } }))
      const [bea, cleo] = others
      const friends = [owner.id, bea?.id]
      const body = { name: 'pins', words: ['x', 'y'], friends, owner_id: owner.id }
      const { id } = await data('POST', '/api/v1/things3', { body })
      const isFound = async (expressions: readonly string[]) =>
        (await read(`${DELIVERED}?take=100&filter=name:pins,${expressions.join(',')}`)).total
      for (const count of [2, 16]) {
        const alternate = (field: string, ...values: readonly (string | undefined)[]) =>
          times(count, (at) => `${field}${values[at % values.length]}`)
        const [a, b, c] = [owner, bea, cleo].map((each) => each?.document_id)
        assert.equal(await isFound(alternate('properties.friends:', a, b)), 1, `${count} friends`)
        assert.equal(await isFound(alternate('properties.friends:', a, c)), 0, `${count}: not Cleo`)
        assert.equal(await isFound(alternate('properties.friends:!', c)), 1)
        assert.equal(await isFound(alternate('properties.owner:', a)), 1)
        assert.equal(await isFound(alternate('properties.owner:', a, b)), 0, 'there is one owner')
        assert.equal(await isFound(alternate('properties.words:', 'x', 'y')), 1, `${count} words`)
        assert.equal(await isFound(alternate('properties.words:', 'x', 'z')), 0, `${count}: not z`)
        const mixed = [
          ...alternate('properties.friends:', a, b),
          ...alternate('properties.words:', 'x', 'y'),
          ...alternate('properties.owner:', a),
        ]
        assert.equal(await isFound(mixed), 1, `${count} of each`)
        assert.equal(await isFound([...mixed, 'properties.words:z']), 0)
        const both = ['name', 'Ada', 'Bea'] as const
        const through = (is: string, group: string, ...[field, ...names]: readonly string[]) =>
          times(count, (at) => {
            const friend = `[friends][${field}][$eq]=${names[at % names.length]}`
            return `filters[${group}][${at}]${is}${friend}`
          }).join('&')
        const total = async (query: string) =>
          (await read(`/api/things3?filters[name]=pins&${query}`)).meta.pagination.total
        assert.equal(await total(through('', '$and', ...both)), 1)
        assert.equal(await total(through('', '$and', 'name', 'Ada', 'Cleo')), 0)
        assert.equal(await total(through('[$not]', '$or', ...both)), 0, 'neither is missing')
        assert.equal(await total(through('[$not]', '$or', 'name', 'Ada', 'Cleo')), 1)
      }
      await data('DELETE', `/api/v1/things3/${id}`)
      for (const other of others) await data('DELETE', `/api/v1/owners/${other.id}`)
    })

    test('graphql 12: a thousand conditions in each of the three schemas', async () => {
      const or = times(1_000, (at) => ({ name: { containsi: at === 5 ? 'eedl' : `v${at}` } }))
      const days = times(1_000, (at) => ({
        day: { eq: at === 5 ? '2026-01-05' : dayAt(at) },
      }))
      const owners = times(1_000, (at) => ({
        owner: { name: { eqi: at === 5 ? 'ADA' : `v${at}` } },
      }))
      for (const [path, name, shape] of [
        ['', 'filters', 'data { id } meta { pagination { total } }'],
        ['/offset', 'filter', 'items { id } total'],
        ['/connection', 'filter', 'edges { node { id } } totalCount'],
      ] as const) {
        const type = name === 'filters' ? 'Thing19FiltersInput' : 'Thing19Filter'
        const query = `query ($f: ${type}) { things19(${name}: $f) { ${shape} } }`
        for (const conditions of [or, days, owners]) {
          const body = { query, variables: { f: { or: conditions } } }
          const answer = await call('POST', `/graphql${path}`, { body })
          assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 300))
          assert.equal(answer.body.errors, undefined, JSON.stringify(answer.body).slice(0, 300))
          assert.match(JSON.stringify(answer.body.data), /"(?:total|totalCount)":1/)
        }
      }
    })
  },
)
