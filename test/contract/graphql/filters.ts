import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { graphqlSuite } from './support.ts'

const FIELDS = [
  'name',
  'note',
  'whole',
  'big',
  'price',
  'ratio',
  'flag',
  'day',
  'clock',
  'moment',
  'kind',
]
const VALUES: Readonly<Record<string, readonly string[]>> = {
  name: ['"Ada"', '"ada"', '"b"'],
  note: ['"Zoo"', '"o"'],
  whole: ['1', '2'],
  big: ['9007199254740993', '5'],
  price: ['1.5', '2.25'],
  ratio: ['0.5', '1.5'],
  flag: ['true', 'false'],
  day: ['"2026-01-02"', '"2025-01-01"'],
  clock: ['"10:00:00.000"', '"23:00:00.000"'],
  moment: ['"2026-01-02T03:04:05.000Z"', '"2020-01-01T00:00:00.000Z"'],
  kind: ['"a"', '"b"'],
}
const ONE = [
  ...['eq', 'eqi', 'ne', 'nei', 'startsWith', 'endsWith', 'startsWithi', 'endsWithi'],
  ...['contains', 'notContains', 'containsi', 'notContainsi', 'gt', 'gte', 'lt', 'lte'],
]
const SEVERAL = ['in', 'notIn', 'ini', 'notIni', 'between']

export const filters = graphqlSuite('filters of GraphQL', ({ call, create, createMany, ask }) => {
  before(async () => {
    const ada = await create('authors', { name: 'Ada' })
    const bob = await create('authors', { name: 'Bob' })
    await createMany('samples', [
      {
        ...{ name: 'Ada', note: 'Zoo', whole: 1, big: '9007199254740993', price: 1.5, ratio: 0.5 },
        ...{ flag: true, day: '2026-01-02', clock: '10:00:00.000', kind: 'a', owner: ada },
        ...{ moment: '2026-01-02T03:04:05.000Z', data: { a: 1 }, words: ['red', 'blue'] },
      },
      {
        ...{ name: 'bob', note: 'moon', whole: 2, big: '5', price: 2.25, ratio: 1.5, flag: false },
        ...{ day: '2025-01-01', clock: '23:00:00.000', kind: 'b', owner: bob, words: ['red'] },
        ...{ moment: '2020-01-01T00:00:00.000Z' },
      },
      { name: 'ADA' },
      {},
    ])
  })

  /** What CMS REST answers to the same filter; its refusals included. */
  async function rest(query: string): Promise<string> {
    const { status, body } = await call(
      'GET',
      `/api/samples?sort=id&pagination[pageSize]=100&${query}`,
    )
    if (status !== 200) return 'refused'
    return body.data.map(({ id }: { id: number }) => String(id)).join()
  }

  async function graphql(filter: string): Promise<string> {
    const { body } = await ask(
      `{ samples(filters: ${filter}, sort: "id", pagination: { pageSize: 100 }) { data { id } } }`,
    )
    if (body.errors) {
      assert.equal(body.errors[0].extensions.code, 'BAD_USER_INPUT', JSON.stringify(body.errors))
      return 'refused'
    }
    return body.data.samples.data.map(({ id }: { id: string }) => id).join()
  }

  const bare = (literal: string) => encodeURIComponent(literal.replaceAll('"', ''))

  test('graphql 4: every operator agrees with CMS REST on every kind of field', async () => {
    for (const field of FIELDS) {
      const [first = '', second = ''] = VALUES[field] ?? []
      const cases = [
        ...ONE.flatMap((operator) =>
          [first, second].map((value) => [
            `{ ${field}: { ${operator}: ${value} } }`,
            `filters[${field}][$${operator}]=${bare(value)}`,
          ]),
        ),
        ...SEVERAL.map((operator) => [
          `{ ${field}: { ${operator}: [${first}, ${second}] } }`,
          `filters[${field}][$${operator}][0]=${bare(first)}&filters[${field}][$${operator}][1]=${bare(second)}`,
        ]),
        ...['null', 'notNull'].flatMap((operator) =>
          ['true', 'false'].map((value) => [
            `{ ${field}: { ${operator}: ${value} } }`,
            `filters[${field}][$${operator}]=${value}`,
          ]),
        ),
      ]
      await Promise.all(
        cases.map(async ([filter = '', query = '']) => {
          const [own, other] = await Promise.all([graphql(filter), rest(query)])
          assert.equal(own, other, filter)
        }),
      )
    }
  })

  test('graphql 4: and, or and not at both levels, and deep relations agree with CMS REST', async () => {
    const pairs = [
      [
        '{ or: [{ name: { eq: "Ada" } }, { whole: { eq: 2 } }] }',
        'filters[$or][0][name][$eq]=Ada&filters[$or][1][whole][$eq]=2',
      ],
      [
        '{ and: [{ name: { eqi: "ada" } }, { whole: { notNull: true } }] }',
        'filters[$and][0][name][$eqi]=ada&filters[$and][1][whole][$notNull]=true',
      ],
      ['{ not: { name: { eq: "Ada" } } }', 'filters[$not][name][$eq]=Ada'],
      ['{ name: { or: ["Ada", "bob"] } }', 'filters[name][$or][0]=Ada&filters[name][$or][1]=bob'],
      ['{ name: { not: { eq: "Ada" } } }', 'filters[name][$not][$eq]=Ada'],
      ['{ owner: { name: { eq: "Ada" } } }', 'filters[owner][name][$eq]=Ada'],
      ['{ owner: { not: { name: { eq: "Ada" } } } }', 'filters[owner][$not][name][$eq]=Ada'],
      ['{ words: { contains: "blue" } }', 'filters[words][$contains]=blue'],
      ['{ data: { notNull: true } }', 'filters[data][$notNull]=true'],
      ['{ id: { in: ["1", "2"] } }', 'filters[id][$in][0]=1&filters[id][$in][1]=2'],
      ['{}', ''],
    ]
    for (const [filter = '', query = ''] of pairs) {
      assert.equal(await graphql(filter), await rest(query), filter)
    }
  })
})
