import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Include } from '#content-query'
import { DomainError } from '#kernel'
import { cmsModel } from '#test-kit'
import { splitQuery } from './brackets.ts'
import { type Paging, toPage } from './paging.ts'
import { parseList } from './parse.ts'

const { article, model } = cmsModel

const rules = { model, type: article, maxDepth: 3 }
const parse = (text: string) => parseList(splitQuery(text).nest(), rules)

function refusal(text: string): DomainError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

/** `author(avatar),cover` */
function outline(includes: readonly Include[]): string {
  return includes
    .map(({ field, include }) => (include.length > 0 ? `${field}(${outline(include)})` : field))
    .join(',')
}

const populated = (text: string) => outline(parse(text).query.include)

describe('limits of the query text', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    test(`${name} is refused wherever it stands`, () => {
      assert.match(refusal(`filters[${name}][$eq]=1`).message, new RegExp(name))
      assert.match(refusal(`${name}=1`).message, new RegExp(name))
      assert.match(refusal(`populate[author][${name}]=1`).message, new RegExp(name))
      assert.match(refusal(`filters%5B${name}%5D=1`).message, new RegExp(name))
    })
  }

  test('an index of 100 is taken, 101 and 500 are refused', () => {
    assert.doesNotThrow(() => parse('fields[100]=title'))
    assert.equal(refusal('fields[101]=title').code, 'invalid_query')
    assert.equal(refusal('anything[500]=x').code, 'invalid_query')
  })

  test('20 brackets are taken, 21 and 30 are refused', () => {
    const nested = (depth: number) => `x${'[a]'.repeat(depth)}=1`
    assert.doesNotThrow(() => parse(nested(20)))
    assert.equal(refusal(nested(21)).code, 'invalid_query')
    assert.equal(refusal(nested(30)).code, 'invalid_query')
  })

  test('1,000 parameters are taken, 1,001 are refused', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=1`).join('&')
    assert.doesNotThrow(() => parse(many(1_000)))
    assert.equal(refusal(many(1_001)).code, 'invalid_query')
  })

  test('unknown parameters at the top are ignored, percent-encoded or not', () => {
    const { selection } = parse('cache=1&utm%5Bx%5D=2&fields%5B0%5D=title')
    assert.deepEqual([...(selection.fields ?? [])], ['title'])
  })
})

describe('fields', () => {
  const fields = (text: string) => {
    const { selection } = parse(text)
    return selection.fields && [...selection.fields]
  }

  test('texts, lists and * mean the same members', () => {
    assert.deepEqual(fields('fields=title, createdAt'), ['title', 'createdAt'])
    assert.deepEqual(fields('fields[0]=title&fields[1]=id'), ['title', 'id'])
    assert.equal(fields('fields=*'), null)
    assert.equal(fields('fields='), null)
    assert.equal(fields(''), null)
  })

  for (const name of ['secret', 'pin', 'author', 'cover', 'seo', 'nothing']) {
    test(`${name} is refused by name`, () => {
      const error = refusal(`fields[0]=title&fields[1]=${name}`)
      assert.match(error.message, new RegExp(name))
      assert.deepEqual(error.issues[0]?.path, ['fields', name])
    })
  }

  test('an object is refused', () => {
    assert.equal(refusal('fields[title][x]=1').code, 'invalid_query')
  })
})

describe('sort', () => {
  const sort = (text: string) =>
    parse(text).query.sort.map(({ path, order }) => `${path.join('.')} ${order}`)

  test('all forms', () => {
    assert.deepEqual(sort('sort=title'), ['title asc'])
    assert.deepEqual(sort('sort=title:DESC, id'), ['title desc', 'id asc'])
    assert.deepEqual(sort('sort[0]=title:asc&sort[1]=createdAt:desc'), [
      'title asc',
      'createdAt desc',
    ])
    assert.deepEqual(sort('sort[title]=desc'), ['title desc'])
    assert.deepEqual(sort('sort[0][title]=asc&sort[1][id]=desc'), ['title asc', 'id desc'])
    assert.deepEqual(sort('sort=author.name:asc'), ['author.name asc'])
    assert.deepEqual(sort('sort[author][name]=desc'), ['author.name desc'])
    assert.deepEqual(sort('sort='), [])
  })

  test('another order word is refused', () => {
    assert.match(refusal('sort=title:up').message, /asc or desc/)
    assert.match(refusal('sort[title]=up').message, /sort\[title\]/)
    assert.match(refusal('sort=title:asc:desc').message, /title:asc:desc/)
  })
})

describe('populate', () => {
  test('names, lists and dots', () => {
    assert.equal(populated('populate=author,comments'), 'author,comments')
    assert.equal(populated('populate[0]=author&populate[1]=comments'), 'author,comments')
    assert.equal(populated('populate=author&populate=cover'), 'author,cover')
    assert.equal(populated('populate=author.avatar,author'), 'author(avatar)')
    assert.equal(
      populated('populate[0]=author.avatar&populate[1]=blocks.seo.image'),
      ['author(avatar)', 'blocks(seo(image))'].join(','),
    )
    assert.equal(populated('populate='), '')
  })

  test('* is every public relation, medium and component, one level, not named', () => {
    const { query } = parse('populate=*')
    assert.equal(outline(query.include), 'cover,gallery,author,comments,seo,blocks,localizations')
    assert.ok(query.include.every(({ named }) => !named))
  })

  test('* goes together with names, which are then named', () => {
    const { query } = parse('populate[0]=*&populate[1]=author.avatar')
    const all = 'cover,gallery,author(avatar),comments,seo,blocks,localizations'
    assert.equal(outline(query.include), all)
    const named = query.include.filter((include) => include.named).map(({ field }) => field)
    assert.deepEqual(named, ['author'])
  })

  test('a list and an object in one query', () => {
    const { selection } = parse('populate[0]=*&populate[author][fields][0]=name')
    assert.deepEqual([...(selection.parts.get('author')?.fields ?? [])], ['name'])
    assert.ok(selection.parts.has('cover'))
  })

  test('deep goes to the limit and never into a type of its own branch', () => {
    const whole =
      'cover,gallery,author(avatar),comments(author(avatar)),seo(image),blocks(seo(image))'
    assert.equal(populated('populate=deep'), whole)
    assert.equal(populated('populate=deep,9'), whole)
    assert.equal(populated('populate=deep,1'), 'cover,gallery,author,comments,seo,blocks')
  })

  test('the object form with options', () => {
    const text = [
      'populate[comments][fields][0]=body',
      'populate[comments][sort]=id:desc',
      'populate[comments][start]=2',
      'populate[comments][limit]=500',
      'populate[comments][populate][author]=true',
      'populate[cover]=*',
      'populate[author]=false',
    ].join('&')
    const { query, selection } = parse(text)
    assert.equal(outline(query.include), 'comments(author),cover')
    const [comments] = query.include
    assert.deepEqual(comments?.sort, [
      { path: ['id'], order: 'desc', at: ['populate', 'comments', 'sort'] },
    ])
    assert.deepEqual([comments?.start, comments?.limit], [2, 100])
    assert.deepEqual(comments?.at, ['populate', 'comments'])
    assert.deepEqual([...(selection.parts.get('comments')?.fields ?? [])], ['body'])
  })

  test('the depth counts every step and is refused beyond the limit', () => {
    assert.equal(populated('populate=comments.author.avatar'), 'comments(author(avatar))')
    const error = refusal('populate=comments.author.articles.cover')
    assert.match(error.message, /4 levels.*limit is 3/)
    const options = 'populate[comments][populate][author][populate][articles][populate]=cover'
    assert.match(refusal(options).message, /4 levels/)
  })

  for (const [text, name] of [
    ['populate=title', 'title'],
    ['populate=nothing', 'nothing'],
    ['populate=notes', 'notes'],
    ['populate=cover.related', 'related'],
    ['populate[author][nothing]=1', 'nothing'],
    ['populate[author][fields]=email', 'email'],
    ['populate[author]=maybe', 'author'],
    ['populate[*]=maybe', 'true'],
    ['populate[*][fields]=name', 'name of each'],
    ['populate[blocks][on][default.quote][populate]=*', 'zones'],
    ['populate[comments][limit]=few', 'limit'],
  ] as const) {
    test(`${text} is refused and says ${name}`, () => {
      assert.match(refusal(text).message, new RegExp(name))
    })
  }
})

describe('locale and state', () => {
  const locale = (text: string) => parse(text).query.locale

  test('one, all, none and fallbacks', () => {
    assert.deepEqual(locale(''), { kind: 'default' })
    assert.deepEqual(locale('locale=all'), { kind: 'all' })
    assert.deepEqual(locale('locale=FR'), { kind: 'one', code: 'fr', fallback: [] })
    assert.deepEqual(locale('locale=xx'), { kind: 'one', code: 'xx', fallback: [] })
    assert.deepEqual(locale('locale=fr&fallbackLocale=en'), {
      kind: 'one',
      code: 'fr',
      fallback: ['en'],
    })
    assert.deepEqual(locale('locale=fr-ch&fallbackLocale=auto'), {
      kind: 'one',
      code: 'fr-CH',
      fallback: ['fr', 'en'],
    })
    assert.deepEqual(locale('fallbackLocale=fr'), { kind: 'one', code: 'en', fallback: ['fr'] })
  })

  test('both names of the state, and nothing else', () => {
    assert.equal(parse('').query.state, 'live')
    assert.equal(parse('publicationState=preview').query.state, 'working')
    assert.equal(parse('status=draft').query.state, 'working')
    assert.equal(parse('status=published').query.state, 'live')
    assert.match(refusal('publicationState=draft').message, /publicationState/)
    assert.match(refusal('status=live').message, /status/)
    assert.match(refusal('status=draft&publicationState=live').message, /contradict/)
  })
})

describe('paging', () => {
  const paging = (text: string): Paging => parse(text).paging.of([])
  const page = (text: string) => toPage(paging(text))

  test('by page', () => {
    assert.deepEqual(paging(''), { kind: 'page', page: 1, size: 25, count: true })
    assert.deepEqual(page('pagination[page]=3&pagination[pageSize]=10'), {
      kind: 'offset',
      start: 20,
      limit: 10,
      count: true,
    })
    assert.deepEqual(paging('pagination[pageSize]=250'), {
      kind: 'page',
      page: 1,
      size: 100,
      count: true,
    })
    assert.deepEqual(paging('pagination[pageSize]=0&pagination[page]=-3'), {
      kind: 'page',
      page: 1,
      size: 1,
      count: true,
    })
  })

  test('by offset', () => {
    assert.deepEqual(page('pagination[start]=5&pagination[limit]=-1'), {
      kind: 'offset',
      start: 5,
      limit: 100,
      count: true,
    })
    assert.deepEqual(page('pagination[limit]=7&pagination[withCount]=f'), {
      kind: 'offset',
      start: 0,
      limit: 7,
      count: false,
    })
  })

  test('by keyset', () => {
    assert.deepEqual(page('after_id=10&limit=5'), {
      kind: 'keyset',
      after: 10,
      before: null,
      limit: 5,
    })
    assert.deepEqual(page('limit=500&sort=id:desc'), {
      kind: 'keyset',
      after: null,
      before: null,
      limit: 100,
    })
  })

  for (const text of [
    'pagination[foo]=1',
    'pagination[pagesize]=5',
    'pagination[start]=1&pagination[offset]=1',
    'pagination[page]=abc',
    'pagination[page]=1.5',
    'pagination[page]=1&pagination[limit]=5',
    'pagination[withCount]=maybe',
    'pagination=2',
    'pagination[page]=9007199254740991&pagination[pageSize]=100',
    'after_id=10&pagination[page]=1',
    'after_id=10&sort=title',
    'after_id=10&sort=id&sort=title',
    'after_id=abc',
    'limit=0',
  ]) {
    test(`${text} is refused`, () => {
      assert.equal(refusal(text).kind, 'invalid')
    })
  }
})

test('_q is the search, empty means none', () => {
  assert.equal(parse('_q=crane').query.search, 'crane')
  assert.equal(parse('_q=').query.search, '')
})
