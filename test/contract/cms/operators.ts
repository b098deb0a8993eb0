import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cmsSuite, picture } from './support.ts'

const FIRST = {
  name: 'Iván 100%',
  note: 'a_b',
  whole: 1,
  big: '9007199254740993',
  price: 9.5,
  ratio: 0.25,
  flag: true,
  day: '2024-02-29',
  clock: '08:15:00',
  moment: '2024-02-29T08:15:00.000Z',
  kind: 'a',
}
const SECOND = {
  name: 'ivÁN 1000',
  note: 'axb',
  whole: 2,
  big: '9007199254740994',
  price: 10,
  ratio: 2.5,
  flag: false,
  day: '2024-03-01',
  clock: '18:15:00.5',
  moment: '2024-03-01T00:00:00.000Z',
  kind: 'b',
}

export const filters = cmsSuite('filters of the CMS dialect', ({ call, ok, create, ids }) => {
  const at = { first: 0, second: 0, empty: 0 }

  before(async () => {
    at.first = await create('samples', FIRST)
    at.second = await create('samples', SECOND)
    at.empty = await create('samples', {})
  })

  /** Which of the three match: `first`, `second`, `empty`. */
  async function matching(query: string): Promise<string> {
    const found = await ids(`/api/samples?${query}`)
    const names = Object.entries(at).filter(([, id]) => found.includes(id))
    assert.equal(names.length, found.length, query)
    return names.map(([name]) => name).join(' ')
  }

  const CASES: readonly (readonly [query: string, expected: string])[] = [
    // Text.
    ['filters[name][$eq]=Iván 100%25', 'first'],
    ['filters[name]=Iván 100%25', 'first'],
    ['filters[name][$eqi]=IVÁN 100%25', 'first'],
    ['filters[name][$ne]=Iván 100%25', 'second empty'],
    ['filters[name][$nei]=IVÁN 100%25', 'second empty'],
    ['filters[name][$contains]=ván', 'first'],
    ['filters[name][$containsi]=VÁN', 'first second'],
    ['filters[name][$contains]=100%25', 'first'],
    ['filters[note][$contains]=a_b', 'first'],
    ['filters[name][$notContains]=ván', 'second empty'],
    ['filters[name][$notContainsi]=ván', 'empty'],
    ['filters[name][$startsWith]=Iv', 'first'],
    ['filters[name][$startsWithi]=IV', 'first second'],
    ['filters[name][$endsWith]=1000', 'second'],
    ['filters[note][$endsWithi]=_B', 'first'],
    ['filters[name][$in][0]=ivÁN 1000&filters[name][$in][1]=x', 'second'],
    ['filters[name][$in]=ivÁN 1000', 'second'],
    ['filters[name][$ini][0]=IVÁN 1000', 'second'],
    ['filters[name][$notIn][0]=ivÁN 1000', 'first empty'],
    ['filters[name][$notIni][0]=IVÁN 1000', 'first empty'],
    ['filters[name][0]=ivÁN 1000&filters[name][1]=Iván 100%25', 'first second'],
    ['filters[note][$lt]=axb', 'first'],
    ['filters[note][$between][0]=a&filters[note][$between][1]=az', 'first second'],
    ['filters[kind][$eq]=b', 'second'],
    ['filters[kind][$ne]=b', 'first empty'],
    // Whole numbers.
    ['filters[whole]=2', 'second'],
    ['filters[whole][$ne]=2', 'first empty'],
    ['filters[whole][$lt]=2', 'first'],
    ['filters[whole][$lte]=2', 'first second'],
    ['filters[whole][$gt]=1', 'second'],
    ['filters[whole][$gte]=1', 'first second'],
    ['filters[whole][$in][0]=1&filters[whole][$in][1]=7', 'first'],
    ['filters[whole][$notIn][0]=1', 'second empty'],
    ['filters[whole][$between][0]=2&filters[whole][$between][1]=9', 'second'],
    // Beyond what a double holds exactly.
    ['filters[big]=9007199254740993', 'first'],
    ['filters[big][$gt]=9007199254740993', 'second'],
    ['filters[big][$lte]=9007199254740993', 'first'],
    ['filters[big][$in][0]=9007199254740994', 'second'],
    ['filters[big][$ne]=9007199254740994', 'first empty'],
    // Decimals and floating point.
    ['filters[price]=9.5', 'first'],
    ['filters[price][$gt]=9.5', 'second'],
    ['filters[price][$lt]=10', 'first'],
    ['filters[price][$between][0]=9.49&filters[price][$between][1]=9.51', 'first'],
    ['filters[ratio]=2.5', 'second'],
    ['filters[ratio][$lte]=0.25', 'first'],
    ['filters[ratio][$notIn][0]=2.5', 'first empty'],
    // Booleans.
    ['filters[flag]=true', 'first'],
    ['filters[flag]=f', 'second'],
    ['filters[flag][$ne]=1', 'second empty'],
    ['filters[flag][$in][0]=0', 'second'],
    // Dates and times.
    ['filters[day]=2024-02-29', 'first'],
    ['filters[day][$gt]=2024-02-29', 'second'],
    ['filters[clock][$lt]=12:00:00', 'first'],
    ['filters[clock]=18:15:00.500', 'second'],
    ['filters[moment]=2024-02-29T09:15:00%2B01:00', 'first'],
    ['filters[moment][$gte]=1709251200000', 'second'],
    ['filters[createdAt][$gt]=2020-01-01T00:00:00Z', 'first second empty'],
    ['filters[day][$between][0]=2024-02-01&filters[day][$between][1]=2024-02-29', 'first'],
    // What is missing, in all spellings.
    ...['true', 't', '1', 'yes'].map((word) => [`filters[name][$null]=${word}`, 'empty'] as const),
    ...['false', 'f', '0', ''].map(
      (word) => [`filters[name][$null]=${word}`, 'first second'] as const,
    ),
    ...['true', 't', '1', 'yes'].map(
      (word) => [`filters[flag][$notNull]=${word}`, 'first second'] as const,
    ),
    ...['false', 'f', '0', ''].map((word) => [`filters[flag][$notNull]=${word}`, 'empty'] as const),
    // Combined.
    ['filters[whole]=1&filters[flag]=true', 'first'],
    ['filters[whole]=1&filters[flag]=false', ''],
    ['filters[$or][0][whole]=1&filters[$or][1][flag]=false', 'first second'],
    ['filters[$and][0][whole][$gte]=1&filters[$and][1][whole][$lt]=2', 'first'],
    ['filters[$not][whole]=1', 'second empty'],
    ['filters[whole][$not][$gt]=1', 'first empty'],
    ['filters[whole][$not][$in][0]=1&filters[whole][$not][$in][1]=2', 'empty'],
    [
      'filters[$or][0][$and][0][whole]=1&filters[$or][0][$and][1][flag]=true&filters[$or][1][$not][name][$notNull]=true',
      'first empty',
    ],
  ]

  test('cms-rest 3: every operator on every kind; total agrees', async () => {
    for (const [query, expected] of CASES) {
      assert.equal(await matching(query), expected, query)
    }
    assert.equal(await matching(`filters[id]=${at.second}`), 'second')
    assert.equal(await matching(`filters[id][$in][0]=${at.first}`), 'first')
    const one = await ok('GET', `/api/samples/${at.first}`, {
      headers: { 'response-format': 'flat' },
    })
    assert.equal(await matching(`filters[documentId]=${one.data.documentId}`), 'first')
  })

  test('cms-rest 3: empty objects ask nothing', async () => {
    assert.equal(await matching('filters='), 'first second empty')
  })

  test('cms-rest 3: values of the wrong type are refused, not ignored', async () => {
    for (const query of [
      'filters[whole]=abc',
      'filters[whole]=1.5',
      'filters[big]=12a',
      'filters[price]=x',
      'filters[flag]=maybe',
      'filters[day]=2024-02-30',
      'filters[moment]=soon',
      'filters[whole][$between][0]=1',
      'filters[whole][$contains]=1',
      'filters[name][$EQ]=x',
    ]) {
      const { status, body } = await call('GET', `/api/samples?${query}`)
      assert.equal(status, 400, `${query}: ${JSON.stringify(body)}`)
      assert.equal(body.error.name, 'ValidationError')
      assert.equal(body.error.details.errors[0].path[0], 'filters')
    }
  })

  test('cms-rest 3: through relations, media and components', async () => {
    const form = new FormData()
    form.append('files', picture('needle.png'))
    const [file] = await ok('POST', '/api/upload', { form })
    const ada = await create('authors', { name: 'Ada', avatar: file.id })
    const bob = await create('authors', { name: 'Bob' })
    const good = await create('comments', { body: 'good', stars: 5 })
    const bad = await create('comments', { body: 'bad', stars: 1 })
    const one = await create('articles', {
      title: 'One',
      author: ada,
      cover: file.id,
      comments: [good, bad],
      seo: { description: 'about', reviewer: bob },
    })
    const two = await create('articles', { title: 'Two', author: bob })
    const three = await create('articles', { title: 'Three' })
    for (const [query, expected] of [
      ['filters[author][name][$eq]=Ada', [one]],
      [`filters[author]=${bob}`, [two]],
      [`filters[author][id]=${bob}`, [two]],
      [`filters[author][id][$in][0]=${ada}&filters[author][id][$in][1]=${bob}`, [one, two]],
      ['filters[author][$null]=true', [three]],
      ['filters[author][$notNull]=true', [one, two]],
      ['filters[cover][$null]=true', [two, three]],
      ['filters[cover][name][$startsWith]=needle', [one]],
      ['filters[cover][mime]=image/png', [one]],
      ['filters[author][avatar][name][$contains]=needle', [one]],
      ['filters[seo][description]=about', [one]],
      ['filters[seo][reviewer][name]=Bob', [one]],
      ['filters[comments][body]=good', [one]],
      ['filters[comments][body]=good&filters[comments][stars]=5', [one]],
      ['filters[comments][body]=good&filters[comments][stars]=1', []],
      ['filters[comments][stars][$gte]=1', [one]],
      ['filters[comments][article][author][name]=Ada', [one]],
      ['filters[$or][0][author][name]=Bob&filters[$or][1][author][$null]=true', [two, three]],
    ] as const) {
      assert.deepEqual(await ids(`/api/articles?${query}`), expected, query)
    }
    const deep = `filters${'[comments][article]'.repeat(3)}[title]=x`
    assert.equal((await call('GET', `/api/articles?${deep}`)).status, 400)
    const five = `filters${'[comments][article]'.repeat(2)}[comments][body]=good`
    assert.deepEqual(await ids(`/api/articles?${five}`), [one])
  })
})
