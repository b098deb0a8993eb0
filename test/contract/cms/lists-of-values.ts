import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cmsSuite } from './support.ts'

export const listsOfValues = cmsSuite('filters of lists, absence and order', (cms) => {
  const { call, create, createMany, ids } = cms
  const own = { first: 0, second: 0, third: 0, fourth: 0 }
  const byAuthor = { with: 0, without: 0 }
  const found = (query: string) => ids(`/api/samples?${query}`)
  const { first, second, third, fourth } = {
    first: () => own.first,
    second: () => own.second,
    third: () => own.third,
    fourth: () => own.fourth,
  }

  before(async () => {
    const [a = 0, b = 0, c = 0, d = 0] = await createMany('samples', [
      { name: 'apple', whole: 1 },
      { name: 'Banana', whole: 2 },
      { name: 'cherry', whole: 3 },
      { note: 'nameless' },
    ])
    Object.assign(own, { first: a, second: b, third: c, fourth: d })
    const author = await create('authors', { name: 'Ada' })
    byAuthor.with = await create('articles', { title: 'By Ada', author })
    byAuthor.without = await create('articles', { title: 'By nobody' })
  })

  test('cms-rest 4.1: a list under an operator of one value means any of its values', async () => {
    for (const [query, expected] of [
      ['filters[name][$eq][0]=apple&filters[name][$eq][1]=cherry', [first(), third()]],
      ['filters[name][$eqi][0]=APPLE&filters[name][$eqi][1]=BANANA', [first(), second()]],
      ['filters[name][$ne][0]=apple&filters[name][$ne][1]=cherry', [second(), fourth()]],
      ['filters[name][$contains][0]=ppl&filters[name][$contains][1]=err', [first(), third()]],
      ['filters[name][$containsi][]=PPL&filters[name][$containsi][]=NAN', [first(), second()]],
      [
        'filters[name][$notContains][0]=ppl&filters[name][$notContains][1]=err',
        [second(), fourth()],
      ],
      ['filters[name][$notContainsi]=PPL&filters[name][$notContainsi]=NAN', [third(), fourth()]],
      ['filters[name][$startsWith][0]=app&filters[name][$startsWith][1]=Ban', [first(), second()]],
      ['filters[name][$endsWithi][0]=LE&filters[name][$endsWithi][1]=RY', [first(), third()]],
      ['filters[whole][$gt][0]=2&filters[whole][$gt][1]=1', [second(), third()]],
      ['filters[whole][$lte][0]=1&filters[whole][$lte][1]=0', [first()]],
    ] as const) {
      assert.deepEqual(await found(query), expected, query)
    }
    const refused = await call(
      'GET',
      '/api/samples?filters[whole][$gt][0]=1&filters[whole][$gt][1]=x',
    )
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body.error.details.errors[0].path, ['filters', 'whole', '$gt', '1'])
  })

  test('cms-rest 4.1: a list as an element of $or or $and is a group joined by and', async () => {
    const group = (path: string) => `${path}[0][name]=apple&${path}[1][whole]=1`
    const either = `${group('filters[$or][0]')}&filters[$or][1][whole]=3`
    assert.deepEqual(await found(either), [first(), third()])
    const never = 'filters[$or][0][0][name]=apple&filters[$or][0][1][whole]=2'
    assert.deepEqual(await found(never), [])
    assert.deepEqual(await found(`${group('filters[$and][0]')}`), [first()])
    const range = 'filters[whole][$or][0][0][$gte]=2&filters[whole][$or][0][1][$lt]=3'
    assert.deepEqual(await found(range), [second()])
  })

  test('cms-rest 4.1: $null is true with any value that is not false', async () => {
    for (const yes of ['true', 't', '1', 'yes', 'null', 'x', '2']) {
      assert.deepEqual(await found(`filters[name][$null]=${yes}`), [fourth()], yes)
      const named = [first(), second(), third()]
      assert.deepEqual(await found(`filters[name][$notNull]=${yes}`), named, yes)
    }
    assert.deepEqual(await found('filters[name][$null][0]=true'), [fourth()])
    for (const no of ['false', 'f', '0', '']) {
      assert.deepEqual(await found(`filters[name][$notNull]=${no}`), [fourth()], no)
    }
  })

  test('cms-rest 4.1: that the id of a relation is null means that there is none', async () => {
    const articles = (query: string) => ids(`/api/articles?${query}`)
    const { with: by, without } = byAuthor
    for (const [query, expected] of [
      ['filters[author][id][$null]=true', [without]],
      ['filters[author][id][$null]=false', [by]],
      ['filters[author][id][$notNull]=true', [by]],
      ['filters[author][documentId][$null]=true', [without]],
      ['filters[author][$not][id][$null]=true', [by]],
      ['filters[author][$or][0][id][$null]=true&filters[author][$or][1][name]=Ada', [by, without]],
      ['filters[author][id][$null]=true&filters[author][name]=Ada', []],
      ['filters[author][id][$null]=false&filters[author][name]=Ada', [by]],
      ['filters[cover][id][$null]=true&filters[author][$null]=false', [by]],
      ['filters[seo][reviewer][id][$null]=true', []],
    ] as const) {
      assert.deepEqual(await articles(query), expected, query)
    }
  })

  test('content-model 10.2: texts are compared in the order in which they are sorted', async () => {
    assert.deepEqual(await found('filters[name][$notNull]=true&sort=name'), [
      first(),
      second(),
      third(),
    ])
    for (const [query, expected] of [
      ['filters[name][$gt]=apple', [second(), third()]],
      ['filters[name][$gte]=Banana', [second(), third()]],
      ['filters[name][$gt]=banana', [third()]],
      ['filters[name][$lt]=banana', [first(), second()]],
      ['filters[name][$lte]=BANANA', [first()]],
      ['filters[name][$lt]=cherry', [first(), second()]],
      ['filters[name][$between][0]=a&filters[name][$between][1]=bz', [first(), second()]],
    ] as const) {
      assert.deepEqual(await found(query), expected, query)
    }
  })
})
