import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cmsSuite } from './support.ts'

/** Findings 11: how many there are instead of which, and who wrote an entry. */
export const authorsAndCounts = cmsSuite('counts and authors', (cms) => {
  const { call, ok, create, createMany, keys } = cms
  let grace: { id: number; uuid: string }
  let article: number
  let other: number
  before(async () => {
    const account = { name: 'Grace', email: 'grace@example.org', access: 'write' }
    grace = (await ok('POST', '/api/v1/users', { body: account })).data
    const [plan] = (await ok('GET', '/api/v1/plans')).data
    const body = { plan_id: plan.id, access: 'write', user_id: grace.id }
    const { key } = (await ok('POST', '/api/v1/keys', { body })).data
    const author = await create('authors', { name: 'Ada' })
    const sent = { title: 'Counted', author, blocks: [{ heading: 'a' }, { heading: 'b' }] }
    const made = await ok('POST', '/api/articles', { key, body: { data: sent } })
    article = made.data.id
    other = await create('articles', { title: 'Other' })
    await ok('PUT', `/api/articles/${other}`, { key, body: { data: { summary: 'changed' } } })
    const comments = Array.from({ length: 105 }, (_, at) => ({
      body: 'Yes',
      stars: at % 5,
      article,
    }))
    await createMany('comments', comments)
  })
  const shown = async (query: string, sent = {}) =>
    (await ok('GET', `/api/articles/${article}?fields=id&${query}`, sent)).data

  test('cms-rest 4.2: populate[x][count] shows how many there are, beyond the limit and filtered', async () => {
    const count = (number: number) => ({ data: { attributes: { count: number } } })
    const query = ['comments', 'author', 'cover', 'gallery', 'blocks', 'localizations']
      .map((name) => `populate[${name}][count]=true`)
      .join('&')
    assert.deepEqual((await shown(query)).attributes, {
      ...{ comments: count(105), author: count(1), cover: count(0), gallery: count(0) },
      ...{ blocks: count(2), localizations: count(0) },
    })
    const filtered = 'populate[comments][count]=1&populate[comments][filters][stars][$gte]=3'
    assert.deepEqual((await shown(filtered)).attributes.comments, count(42))
    const flat = { headers: { 'response-format': 'flat' } }
    assert.deepEqual((await shown('populate[comments][count]=t', flat)).comments, { count: 105 })
    const plain = await shown('populate[comments][count]=false&populate[comments][limit]=2')
    assert.equal(plain.attributes.comments.data.length, 2)
    const list = await ok('GET', '/api/articles?sort=id&populate[comments][count]=true')
    assert.deepEqual(
      list.data.map((each: { attributes: { comments: unknown } }) => each.attributes.comments),
      [count(105), count(0)],
    )
    const nested = await ok(
      'GET',
      '/api/authors?populate[articles][populate][comments][count]=true',
    )
    const [inside] = nested.data[0].attributes.articles.data
    assert.deepEqual(inside.attributes.comments, count(105))
  })

  test('cms-rest 4.2: a count that cannot be is refused with its place', async () => {
    for (const query of [
      ...[
        'populate[comments][count]=maybe',
        'populate[comments][count]=true&populate[comments][limit]=1',
      ],
      ...[
        'populate[comments][count]=true&populate[comments][populate]=*',
        'populate[title][count]=true',
      ],
    ]) {
      const { status, body } = await call('GET', `/api/articles?${query}`)
      assert.equal(status, 400, query)
      assert.equal(body.error.name, 'ValidationError')
    }
  })

  test('content-model 2: who made and wrote an entry is shown to those who may write, by name only', async () => {
    const key = keys.write
    const both = 'populate=createdBy,updatedBy'
    const person = {
      data: { id: grace.id, attributes: { firstname: 'Grace', lastname: null, username: 'Grace' } },
    }
    const { attributes } = await shown(both, { key })
    assert.deepEqual(attributes, { createdBy: person, updatedBy: person })
    const written = (await ok('GET', `/api/articles/${other}?${both}`, { key })).data.attributes
    assert.deepEqual(written.updatedBy, person)
    assert.notEqual(written.createdBy.data?.id, grace.id)
    const flat = { key, headers: { 'response-format': 'flat' } }
    assert.deepEqual((await shown('populate[createdBy][fields]=firstname', flat)).createdBy, {
      ...{ id: grace.id, documentId: grace.uuid, firstname: 'Grace' },
    })
    const nested = '/api/authors?populate[articles][populate]=createdBy'
    const [inside] = (await ok('GET', nested, { key })).data[0].attributes.articles.data
    assert.deepEqual(inside.attributes.createdBy, person)
    const all = await shown('populate=*', { key })
    assert.equal(all.attributes.createdBy, undefined)
    const made = await ok('POST', '/api/articles?populate=createdBy&fields=title', {
      key,
      body: { data: { title: 'Own' } },
    })
    assert.ok(made.data.attributes.createdBy.data.id)
    await ok('DELETE', `/api/articles/${made.data.id}`)
    // A name that changed is shown at once.
    await ok('PATCH', `/api/v1/users/${grace.id}`, { body: { name: 'Grace H.' } })
    const renamed = (await shown(both, { key })).attributes.createdBy.data.attributes
    assert.equal(renamed.firstname, 'Grace H.')
  })

  test('content-model 2: entries are found by who made or wrote them', async () => {
    const key = keys.write
    const found = (query: string) => cms.ids(`/api/articles?${query}`, { key })
    assert.deepEqual(await found(`filters[createdBy][id][$eq]=${grace.id}`), [article])
    assert.deepEqual(await found(`filters[createdBy]=${grace.id}`), [article])
    assert.deepEqual(await found(`filters[updatedBy][id][$in][0]=${grace.id}`), [article, other])
    assert.deepEqual(await found(`filters[createdBy][id][$ne]=${grace.id}`), [other])
    assert.deepEqual(await found('filters[createdBy][$null]=true'), [])
    const through = await cms.ids(`/api/authors?filters[articles][createdBy][id]=${grace.id}`, {
      key,
    })
    assert.equal(through.length, 1)
    const rest = await ok('GET', `/api/v1/articles?filters[updatedBy]=${grace.id}`, { key })
    assert.equal(rest.data.length, 2)
    for (const wrong of [
      ...['filters[createdBy][email]=a', 'filters[createdBy][id]=x', 'sort=createdBy'],
      ...['populate[createdBy][populate]=*', 'populate[createdBy][fields]=email'],
      ...['populate[createdBy][limit]=1', 'populate=createdBy.articles'],
    ]) {
      assert.equal((await call('GET', `/api/articles?${wrong}`, { key })).status, 400, wrong)
    }
    // Names of accounts are shown but are no filter: the refusal says what to do instead.
    for (const path of ['/api/articles', '/api/v1/articles']) {
      for (const member of ['username', 'firstname', 'lastname', 'email']) {
        for (const author of ['createdBy', 'updatedBy']) {
          const named = `${path}?filters[${author}][${member}][$eq]=Grace`
          const { status, body } = await call('GET', named, { key })
          assert.equal(status, 400, named)
          assert.match(JSON.stringify(body), new RegExp(`${author}.id; .*GET /api/v1/users`), named)
        }
      }
    }
  })

  test('content-model 9: who may not write hears nothing of authors, in the words of the dialect', async () => {
    for (const query of [
      'populate=createdBy',
      'populate=author,updatedBy',
      'filters[createdBy][id]=1',
    ]) {
      const none = await call('GET', `/api/articles?${query}`, { key: null })
      assert.equal(none.status, 401, query)
      assert.equal(none.body.error.name, 'UnauthorizedError')
      const read = await call('GET', `/api/articles?${query}`, { key: keys.read })
      assert.equal(read.status, 403, query)
      assert.equal(read.body.error.name, 'ForbiddenError')
      assert.equal(read.body.data, null)
    }
    const one = await call('GET', `/api/articles/${article}?populate=createdBy`, { key: keys.read })
    assert.equal(one.status, 403)
    const gone = await call('GET', '/api/articles/999999?populate=createdBy', { key: keys.read })
    assert.ok([403, 404].includes(gone.status))
  })
})
