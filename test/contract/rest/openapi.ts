import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { ADMIN_KEY, assertDescribed } from '#test-kit'
import { generateRequests } from './generate.ts'
import { restSuite } from './support.ts'

/** The same on every run, so that a finding can be looked at again. */
const SEED = 20_250_302
const REQUESTS = 1_500
const AT_ONCE = 8

export const description = restSuite('the description of the API', ({ call, data, server }) => {
  before(async () => {
    const { id } = await data('POST', '/api/v1/authors', { body: { name: 'Ann' } })
    await data('POST', '/api/v1/articles', { body: { title: 'One', author_id: id } })
  })

  test('rest-conventions 15: it is OpenAPI 3.1 and has a type created a moment ago', async () => {
    const path = '/api/v1/lighthouses'
    const document = () => call('GET', '/api/v1/openapi.json', { key: null })
    assert.ok(!(path in (await document()).body.paths))
    await data('POST', '/api/v1/content-types', {
      body: {
        ...{ singularName: 'lighthouse', pluralName: 'lighthouses' },
        attributes: { height: { type: 'integer', max: 200 }, lit: { type: 'boolean' } },
      },
    })
    const { status, body } = await document()
    assert.equal(status, 200)
    assert.equal(body.openapi, '3.1.0')
    const { valid, errors } = await new Validator().validate(structuredClone(body))
    assert.ok(valid, String(JSON.stringify(errors)).slice(0, 2_000))
    assert.deepEqual(Object.keys(body.paths[path]).sort(), ['get', 'post'])
    assert.equal(
      body.components.schemas['lighthouse.input'].properties.height.anyOf[0].maximum,
      200,
    )
    assert.ok(!('notes' in body.components.schemas.article.properties))
  })

  test('operation finding 20: every operation has a name, a title, two sentences and its errors', async () => {
    const { body } = await call('GET', '/api/v1/openapi.json', { key: null })
    assertDescribed(body)
  })

  test('rest-conventions 15: requests made from it find no failure of ours', async () => {
    const { body } = await call('GET', '/api/v1/openapi.json')
    const requests = generateRequests(body, { seed: SEED, count: REQUESTS }).filter(isHarmless)
    const failures: string[] = []
    const statuses = new Map<number, number>()
    const take = async () => {
      for (let next = requests.pop(); next; next = requests.pop()) {
        const { method, url, headers, body } = next
        const answer = await fetch(`${server().url}${url}`, {
          method,
          headers: { 'x-api-key': ADMIN_KEY, ...headers },
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
        })
        await answer.arrayBuffer()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status >= 500) failures.push(`${answer.status} ${method} ${url} ${body ?? ''}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, take))
    assert.deepEqual(failures, [])
    assert.ok(
      (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) > 50,
      JSON.stringify([...statuses]),
    )
    assert.ok((statuses.get(400) ?? 0) > 50, JSON.stringify([...statuses]))
    assert.equal((await fetch(`${server().url}/ready`)).status, 200)
  })
})

/** Streams never end, and without its key and user the test could go no further. */
function isHarmless({ method, url }: { method: string; url: string }): boolean {
  if (url.includes('/stream')) return false
  if (/^\/api\/v1\/(content-types|components|locales)/.test(url) && method !== 'GET') {
    return method === 'POST'
  }
  return !(/^\/api\/v1\/(users|keys|plans|settings)\b/.test(url) && method !== 'GET')
}
