import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertAnsweredAlike } from '#test-kit'
import { jsonApiSuite, linkTo } from './support.ts'

const SAMPLES = '/jsonapi/node/sample'
const TAGS = 'taxonomy_term--tags'

export const filters = jsonApiSuite('filters of JSON:API', (jsonApi) => {
  const { server, call, ok, json, create, ids, refused } = jsonApi
  const at = { first: '', second: '', empty: '' }
  const tag = { red: '', blue: '' }
  let created = ''

  before(async () => {
    tag.red = await create(TAGS, { name: 'Red' })
    tag.blue = await create(
      TAGS,
      { name: 'Blue' },
      { parent: { data: { type: TAGS, id: tag.red } } },
    )
    at.first = await create(
      'node--sample',
      {
        name: 'ärger 100%',
        note: 'a_b',
        whole: 1,
        price: 9.5,
        flag: true,
        day: '2026-01-01',
        moment: '2026-01-01T10:00:00+00:00',
      },
      { tags: linkTo(TAGS, tag.red, tag.blue), main: { data: { type: TAGS, id: tag.blue } } },
    )
    at.second = await create(
      'node--sample',
      {
        name: 'Freude 1000',
        note: 'axb',
        whole: 2,
        price: 10,
        flag: false,
        day: '2026-02-01',
        moment: '2026-02-01T10:00:00.250+00:00',
      },
      { tags: linkTo(TAGS, tag.red) },
    )
    at.empty = await create('node--sample', {})
    created = (await ok('GET', `${SAMPLES}/${at.first}`)).data.attributes.created
  })

  /** Which of the three match: `first`, `second`, `empty`. */
  async function matching(query: string): Promise<string> {
    const found = await ids(`${SAMPLES}?${query}`)
    const names = Object.entries(at).filter(([, id]) => found.includes(id))
    assert.equal(names.length, found.length, query)
    return names.map(([name]) => name).join(' ')
  }

  test('what is asked anew at a place read before is answered as everywhere', async () => {
    const above = (whole: string) =>
      `${SAMPLES}?filter[whole][condition][path]=whole&filter[whole][condition][operator]=>&filter[whole][condition][value]=${whole}`
    await assertAnsweredAlike(server().url, [
      ...['0', '1', '2', '7', 'x'].map(above),
      `${SAMPLES}?sort=-whole&page[limit]=1`,
      `${SAMPLES}?sort=-whole&page[limit]=1&page[offset]=1`,
      `${SAMPLES}?include=tags&page[limit]=2`,
      `${SAMPLES}?include=nothing`,
      `${SAMPLES}?unknown=1`,
    ])
  })

  const long = (path: string, operator: string, ...values: (string | number)[]) => {
    const value = (each: string | number) =>
      `filter[c][condition][value][]=${encodeURIComponent(each)}`
    const one =
      values.length === 1
        ? [`filter[c][condition][value]=${values.map(encodeURIComponent)}`]
        : values.map(value)
    const condition = [
      `filter[c][condition][path]=${path}`,
      `filter[c][condition][operator]=${encodeURIComponent(operator)}`,
    ]
    return [...condition, ...one].join('&')
  }

  const CASES: readonly (readonly [query: string, expected: string])[] = [
    // Every operator.
    ['filter[whole]=1', 'first'],
    [long('whole', '=', 1), 'first'],
    [long('whole', '<>', 1), 'second empty'],
    [long('whole', '>', 1), 'second'],
    [long('whole', '>=', 1), 'first second'],
    [long('whole', '<', 2), 'first'],
    [long('whole', '<=', 2), 'first second'],
    [long('name', 'starts_with', 'FREU'), 'second'],
    [long('name', 'CONTAINS', '100'), 'first second'],
    [long('name', 'ENDS_WITH', '1000'), 'second'],
    [long('whole', 'IN', 1, 2), 'first second'],
    [long('whole', 'IN', 2), 'second'],
    [long('whole', 'NOT IN', 1, 7), 'second empty'],
    [long('whole', 'BETWEEN', 2, 5), 'second'],
    [long('whole', 'NOT BETWEEN', 2, 5), 'first empty'],
    [long('whole', 'IS NULL'), 'empty'],
    [long('whole', 'is not null'), 'first second'],
    ['filter[whole][operator]=IS NULL', 'empty'],
    ['filter[L][path]=whole&filter[L][value]=2', 'second'],
    ['filter[name][value]=reude&filter[name][operator]=CONTAINS', 'second'],
    // Text.
    ['filter[name]=ÄRGER 100%25', 'first'],
    [long('name', 'CONTAINS', 'ÄRGER'), 'first'],
    [long('name', 'CONTAINS', '100%'), 'first'],
    [long('note', 'CONTAINS', 'a_b'), 'first'],
    [long('name', '<>', 'ÄRGER 100%'), 'second empty'],
    // Groups, their labels and the labels of conditions.
    [
      'filter[whole]=1&filter[or][group][conjunction]=or&filter[a][condition][path]=flag&filter[a][condition][value]=1' +
        '&filter[a][condition][memberOf]=or&filter[b][condition][path]=price&filter[b][condition][value]=10&filter[b][condition][memberOf]=or',
      'first',
    ],
    [
      'filter[o][group][conjunction]=OR&filter[i][group][conjunction]=AND&filter[i][group][memberOf]=o' +
        '&filter[0][condition][path]=whole&filter[0][condition][value]=1&filter[0][condition][memberOf]=i' +
        '&filter[1][condition][path]=flag&filter[1][condition][value]=0&filter[1][condition][memberOf]=i' +
        '&filter[2][condition][path]=whole&filter[2][condition][value]=2&filter[2][condition][memberOf]=o',
      'second',
    ],
    [
      `filter[0][path]=whole&filter[0][operator]=IN&${Array.from({ length: 25 }, (_, n) => `filter[0][value][${n}]=${n + 1}`).join('&')}`,
      'first second',
    ],
    // Through relationships.
    ['filter[tags.name]=BLUE', 'first'],
    ['filter[tags.entity.name]=blue', 'first'],
    ['filter[tags.entity:taxonomy_term.name]=blue', 'first'],
    ['filter[tags.meta.drupal_internal__target_id]=2', 'first'],
    ['filter[main.parent.name]=Red', 'first'],
    ['filter[tags.name][operator]=<>&filter[tags.name][value]=Blue', 'second empty'],
    [long('tags.name', 'NOT IN', 'Blue', 'Green'), 'second empty'],
    [long('tags.name', 'NOT BETWEEN', 'A', 'Bz'), 'second empty'],
    [long('tags.id', 'IS NULL'), 'empty'],
    [long('main.id', 'IS NOT NULL'), 'first'],
    ['filter[uid.display_name]=nobody', ''],
    ['filter[node_type.meta.drupal_internal__target_id]=sample', 'first second empty'],
    // Times as ISO and as seconds, truth values, dates.
    [long('moment', '>=', '2026-01-15'), 'second'],
    [long('moment', '<', '2026-01-15T00:00:00Z'), 'first'],
    [long('moment', '=', '2026-01-01T10:00:00+00:00'), 'first'],
    [long('moment', '=', Date.parse('2026-01-01T10:00:00Z') / 1000), 'first'],
    [long('moment', '=', '2026-02-01T10:00:00.250+00:00'), 'second'],
    [long('day', '=', Date.parse('2026-02-01') / 1000), 'second'],
    [long('day', '<=', '2026-01-31'), 'first'],
    [long('created', '>', '2020-01-01'), 'first second empty'],
    [long('created', '<', '1577836800'), ''],
    ['filter[flag]=1', 'first'],
    ['filter[flag]=TRUE', 'first'],
    ['filter[flag]=0', 'second'],
    ['filter[status]=1', 'first second empty'],
    ['filter[promote]=1', ''],
    ['filter[price]=9.5', 'first'],
    ['filter[drupal_internal__nid]=1', 'first'],
    ['filter[langcode]=en', 'first second empty'],
    ['filter[path.alias]=/samples/1', 'first'],
  ]

  test('jsonapi 4: every operator, groups, lists, paths, times and text', async () => {
    for (const [query, expected] of CASES) assert.equal(await matching(query), expected, query)
    assert.equal(await matching(`filter[tags.id]=${tag.blue}`), 'first')
    assert.equal(await matching(`filter[id]=${at.second.toUpperCase()}`), 'second')
    const shown = (await ids(`${SAMPLES}?${long('created', '=', created)}`)).includes(at.first)
    assert.equal(shown, true)
    assert.equal(
      (await ids(`${SAMPLES}?${long('created', '=', Date.parse(created) / 1000)}`)).includes(
        at.first,
      ),
      true,
    )
    const { data } = await ok('GET', `${SAMPLES}/${at.first}/uid`)
    assert.equal(await matching(`filter[uid.id]=${data.id}`), 'first second empty')
    assert.equal(
      await matching(`filter[uid.display_name]=${data.attributes.display_name.toUpperCase()}`),
      'first second empty',
    )
  })

  test('jsonapi 4: the same questions have the same answers in CMS REST and JSON:API', async () => {
    const { dice, questions } = randomQuestions(20_26)
    for (let n = 0; n < 60; n++) dice()
    for (const [ours, theirs] of questions(60)) {
      const own = (await ids(`${SAMPLES}?sort=-whole,name&${ours}`)).sort()
      const { data } = await json('GET', `/api/samples?pagination[pageSize]=100&${theirs}`)
      const shown = await ok('GET', `${SAMPLES}?fields[node--sample]=drupal_internal__nid`)
      const idOf = new Map<number, string>(
        shown.data.map(({ id, attributes }: Shown) => [attributes.drupal_internal__nid, id]),
      )
      const expected = data.map(({ id }: { id: number }) => idOf.get(id)).sort()
      assert.deepEqual(own, expected, `${ours} | ${theirs}`)
    }
  })

  test('jsonapi 4: sorting with missing values last and ties by id', async () => {
    const order = async (sort: string) => {
      const found = await ids(`${SAMPLES}?sort=${sort}`)
      return found.map((id) => Object.entries(at).find(([, own]) => own === id)?.[0]).join(' ')
    }
    assert.equal(await order('whole'), 'first second empty')
    assert.equal(await order('-whole'), 'second first empty')
    assert.equal(await order('main.name'), 'first second empty')
    assert.equal(await order('-main.name,-whole'), 'first second empty')
    assert.equal(await order('status,-drupal_internal__nid'), 'empty second first')
  })

  test('jsonapi 4: sorting by the account of the author, over pages, ties and missing ones', async () => {
    const person = async (name: string | null) => {
      const email = `${Math.random()}@example.org`
      const { data } = await json('POST', '/api/v1/users', {
        name,
        email,
        password: 'long enough 12',
      })
      const users = (await ok('GET', '/jsonapi/user/user?page[limit]=100')).data
      const isNew = ({ attributes }: Account) => attributes.drupal_internal__uid === data.id
      return { no: Number(data.id), id: String(users.find(isNew).id) }
    }
    // In the order of their names; the third has the name of the second, the last goes away.
    const people = [await person('ähre'), await person('Öl'), await person('Öl')]
    const gone = await person('Zorn')
    const written = async (name: string, whole: number, { id }: { id: string }) => {
      const uid = { data: { type: 'user--user', id } }
      return create(TAGS, { name, weight: whole }, { uid })
    }
    const made: Record<string, string> = {}
    const authors = [people[2], people[0], gone, people[1], people[0], people[2]]
    for (const [n, author] of authors.entries()) {
      if (author) made[`t${n}`] = await written(`t${n}`, 10 - n, author)
    }
    await json('DELETE', `/api/v1/users/${gone.no}?force=true`)
    const ours = 'filter[name][operator]=STARTS_WITH&filter[name][value]=t'
    const order = async (sort: string) => {
      const paged: string[] = []
      for (let offset = 0; offset < 6; offset += 2) {
        const page = `page[limit]=2&page[offset]=${offset}`
        paged.push(...(await ids(`/jsonapi/taxonomy_term/tags?${ours}&sort=${sort}&${page}`)))
      }
      return paged.map((id) => Object.keys(made).find((name) => made[name] === id)).join(' ')
    }
    assert.equal(await order('uid.display_name'), 't1 t4 t0 t3 t5 t2')
    assert.equal(await order('-uid.display_name'), 't0 t3 t5 t1 t4 t2')
    assert.equal(await order('uid.display_name,weight'), 't4 t1 t5 t3 t0 t2')
    assert.equal(await order('uid.drupal_internal__uid'), 't1 t4 t3 t0 t5 t2')
    assert.equal(await order('-uid.meta.drupal_internal__target_id,-name'), 't5 t0 t3 t4 t1 t2')
    assert.equal(await order('uid.langcode'), 't0 t1 t3 t4 t5 t2')
    const byId = people.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const expected = byId.flatMap((author) =>
      Object.keys(made).filter((_, n) => authors[n] === author),
    )
    assert.equal(await order('uid.id'), [...expected, 't2'].join(' '))
  })

  test('jsonapi 4: sorting through a relationship by its author and by what is the same everywhere', async () => {
    const named = (sort: string) => ids(`${SAMPLES}?sort=${sort}`)
    assert.deepEqual(await named('main.uid.display_name'), [at.first, at.second, at.empty])
    assert.deepEqual(await named('main.status,-drupal_internal__nid'), [
      ...[at.first, at.empty, at.second],
    ])
    assert.deepEqual(await named('-main.langcode,-drupal_internal__nid'), [
      ...[at.first, at.empty, at.second],
    ])
    const errors = await refused(400, 'GET', `${SAMPLES}?sort=uid`)
    assert.match(errors[0].detail, /\.id/)
    await refused(400, 'GET', `${SAMPLES}?sort=uid.mail`)
    await refused(400, 'GET', `${SAMPLES}?sort=tags.uid.display_name`)
  })

  test('jsonapi 4: sorting by status and by whether a language is the default one', async () => {
    const article = (title: string, status: boolean) => create('node--article', { title, status })
    const [changed, live] = [await article('changed', true), await article('live', true)]
    const draft = await article('draft', false)
    const { data } = await ok('GET', `/jsonapi/node/article/${changed}`)
    const no = data.attributes.drupal_internal__nid
    await json('PATCH', `/api/v1/articles/${no}?status=draft`, { title: 'newer' })
    const order = (start: string, sort: string) =>
      ids(`${start}/jsonapi/node/article?resourceVersion=rel:working-copy&sort=${sort}`)
    assert.deepEqual(await order('', 'status'), [draft, changed, live])
    assert.deepEqual(await order('', '-status'), [changed, live, draft])
    const translation = { type: 'node--article', id: live, attributes: { title: 'dansk' } }
    await ok('PATCH', `/da/jsonapi/node/article/${live}`, { body: { data: translation } })
    assert.deepEqual(await order('/da', 'default_langcode'), [live, changed, draft])
  })

  test('jsonapi 4: what a relationship leads to is sorted with missing values last', async () => {
    const [low, none] = [
      await create(TAGS, { name: 'low', weight: 1 }),
      await create(TAGS, { name: 'none' }),
    ]
    const id = await create('node--sample', { name: 'related' }, { tags: linkTo(TAGS, none, low) })
    try {
      assert.deepEqual(await ids(`${SAMPLES}/${id}/tags?sort=weight`), [low, none])
      assert.deepEqual(await ids(`${SAMPLES}/${id}/tags?sort=-weight`), [low, none])
      assert.deepEqual(await ids(`${SAMPLES}/${id}/tags?sort=uid.display_name,-weight`), [
        low,
        none,
      ])
    } finally {
      await call('DELETE', `${SAMPLES}/${id}`)
    }
  })

  test('jsonapi 18: what is wrong with a query is 400 and named', async () => {
    const bad: readonly (readonly [query: string, parameter: string])[] = [
      ['include=nope', 'include'],
      ['include=tags.nope', 'include'],
      ['sort=nope', 'sort'],
      ['sort=', 'sort'],
      ['sort=tags.name', 'sort'],
      ['page[limit]=2&page[limit]=3', 'page[limit]'],
      ['fields[node--sample]=name&fields[node--sample]=note', 'fields[node--sample]'],
      ['filter[nope]=1', 'filter[nope]'],
      ['filter[t][operator]=LIKE', 'filter[t][operator]'],
      ['filter[x][condition][value]=1', 'filter[x][condition][path]'],
      ['filter[d][operator]=IS NULL&filter[d][value]=1', 'filter[d][value]'],
      ['filter[x][condition][path]=name', 'filter[x][condition][value]'],
      ['filter[tags]=1', 'filter[tags]'],
      ['filter[whole]=abc', 'filter[whole]'],
      ['filter[flag]=maybe', 'filter[flag]'],
      ['filter[moment]=soon', 'filter[moment]'],
      ['filter[x][something]=1', 'filter[x][something]'],
      ['filter[@root][group][conjunction]=OR', 'filter[@root][group][conjunction]'],
      ['filter[name][value]=a&filter[name][memberOf]=g', 'filter[name][memberOf]'],
      ['filter[g][group][conjunction]=XOR', 'filter[g][group][conjunction]'],
      [
        'filter[g][group][conjunction]=OR&filter[g][group][memberOf]=h&filter[h][group][conjunction]=OR&filter[h][group][memberOf]=g',
        'filter[g][group][memberOf]',
      ],
      [
        `${'filter[b][condition][path]=whole&filter[b][condition][operator]=BETWEEN'}&filter[b][condition][value][]=1`,
        'filter[b][condition][value][]',
      ],
      ['filter=x', 'filter'],
      ['page=2', 'page'],
      ['page[size]=2', 'page[size]'],
      ['page[limit]=0', 'page[limit]'],
      ['page[limit]=-1', 'page[limit]'],
      ['page[offset]=x', 'page[offset]'],
      ['page[offset]=-1', 'page[offset]'],
      ['fields=title', 'fields'],
      ['foo=1', 'foo'],
      ['filter[title]=%zz', 'filter[title]'],
      ['page%5Blimit%5D=%FF', 'page[limit]'],
      ['filter[title][]=a', 'filter[title][]'],
    ]
    for (const [query, parameter] of bad) {
      const errors = await refused(400, 'GET', `${SAMPLES}?${query}`)
      assert.deepEqual(errors[0].source, { parameter }, query)
      assert.equal(errors[0].status, '400')
      assert.equal(errors[0].title, 'Bad Request')
    }
    const deep = `filter[${Array.from({ length: 7 }, () => 'parent').join('.')}.name]=x`
    await refused(400, 'GET', `/jsonapi/taxonomy_term/tags?${deep}`)
    const named = await refused(400, 'GET', `${SAMPLES}?filter[tags]=1`)
    assert.match(named[0].detail, /\.id/)
    for (const fine of ['_format=json', 'resourceVersion=rel:latest-version', 'utm_source=x']) {
      await ok('GET', `${SAMPLES}?${fine}`)
    }
  })
})

interface Account {
  readonly id: string
  readonly attributes: { readonly drupal_internal__uid: number }
}

interface Shown {
  readonly id: string
  readonly attributes: { readonly drupal_internal__nid: number }
}

/** Pairs of queries that ask the same, by a seed. */
function randomQuestions(seed: number) {
  let state = seed
  const dice = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const pick = <T>(list: readonly T[]): T => {
    const found = list[Math.floor(dice() * list.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }
  return { dice, questions }

  function questions(count: number): (readonly [ours: string, theirs: string])[] {
    return Array.from({ length: count }, () => {
      const conjunction = pick(['AND', 'OR'])
      const conditions = Array.from({ length: 1 + Math.floor(dice() * 3) }, condition)
      const ours = conditions.map(({ path, operator, value }, n) =>
        [
          `filter[${n}][condition][path]=${path}`,
          `filter[${n}][condition][operator]=${encodeURIComponent(operator)}`,
          `filter[${n}][condition][value]=${encodeURIComponent(value)}`,
          `filter[${n}][condition][memberOf]=g`,
        ].join('&'),
      )
      const theirs = conditions.map(
        ({ names, theirs: word, isNone, value }, n) =>
          `filters[$${conjunction.toLowerCase()}][${n}]${isNone ? '[$not]' : ''}${names.map((name) => `[${name}]`).join('')}[${word}]=${encodeURIComponent(value)}`,
      )
      return [`filter[g][group][conjunction]=${conjunction}&${ours.join('&')}`, theirs.join('&')]
    })
  }

  function condition() {
    const [path, names, values] = pick(FIELDS)
    const [operator, theirs] = pick(typeof values[0] === 'number' ? NUMBER_WORDS : TEXT_WORDS)
    const isNone = operator === '<>' && names.length > 1
    const word = isNone ? '$eqi' : theirs
    return {
      path,
      names,
      operator,
      theirs: word,
      isNone,
      value: String(pick<string | number>(values)),
    }
  }
}

const FIELDS: readonly (readonly [string, readonly string[], readonly (string | number)[]])[] = [
  ['name', ['name'], ['ÄRGER 100%', 'freude 1000', '100', 'x']],
  ['note', ['note'], ['a_b', 'A', '_']],
  ['whole', ['whole'], [0, 1, 2, 3]],
  ['tags.name', ['tags', 'name'], ['RED', 'blue', 'e']],
  ['main.parent.name', ['main', 'parent', 'name'], ['red', 'x']],
]
type Words = readonly (readonly [ours: string, theirs: string])[]

const TEXT_WORDS: Words = [
  ['=', '$eqi'],
  ['<>', '$nei'],
  ['CONTAINS', '$containsi'],
  ['STARTS_WITH', '$startsWithi'],
  ['ENDS_WITH', '$endsWithi'],
]
const NUMBER_WORDS: Words = [
  ['=', '$eq'],
  ['<>', '$ne'],
  ['>', '$gt'],
  ['>=', '$gte'],
  ['<', '$lt'],
  ['<=', '$lte'],
]
