import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'

const PATH = '/api/v1/constructors'
const NODES = '/jsonapi/constructor/constructor'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }
const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']
const STRANGE = [...NAMES, '__proto__', '__defineGetter__']

/** Names that every object of JavaScript has are ordinary names: of types, fields and parameters. */
export const objectNames = storeSuite('names that every object has', ({ call, data, server }) => {
  let id = 0
  let uuid = ''
  before(async () => {
    const attributes = {
      constructor: { type: 'string' },
      toString: { type: 'integer' },
      valueOf: { type: 'boolean' },
      hasOwnProperty: { type: 'richtext' },
      isPrototypeOf: { type: 'tags' },
    }
    const body = {
      singularName: 'constructor',
      pluralName: 'constructors',
      entityType: 'constructor',
    }
    await data('POST', '/api/v1/content-types', { body: { ...body, attributes } })
    const entry = await data('POST', PATH, { body: {} })
    id = entry.id
    uuid = entry.document_id
  })

  test('gateway finding 2: a value that is absent is absent in every dialect', async () => {
    const absent = (values: Record<string, unknown>, where: string) => {
      for (const name of NAMES) {
        if (!Object.hasOwn(values, name)) continue
        // Content delivery shows absent texts and truth values as empty ones.
        const value = values[name]
        const isEmpty = !value || Array.isArray(value) || (Object(value).markup ?? 'x') === ''
        assert.ok(isEmpty, `${where} ${name} ${JSON.stringify(value)}`)
      }
    }
    const read = async (path: string) => {
      const { status, body } = await call('GET', path)
      assert.equal(status, 200, `${path} ${JSON.stringify(body)}`)
      return body
    }
    absent((await read(`${PATH}/${id}`)).data, 'rest')
    absent((await read(PATH)).data[0], 'rest list')
    absent((await read(`/api/constructors/${id}`)).data.attributes, 'cms')
    absent((await read('/api/constructors')).data[0].attributes, 'cms list')
    absent((await read(`${NODES}/${uuid}`)).data.attributes, 'jsonapi')
    absent((await read(NODES)).data[0].attributes, 'jsonapi list')
    absent((await read(`${DELIVERED}/item/${uuid}`)).properties, 'delivery')
    absent((await read(DELIVERED)).items[0].properties, 'delivery list')
    const changed = await data('PATCH', `${PATH}/${id}`, { body: { toString: 5 } })
    assert.equal(changed.toString, 5)
    absent({ ...changed, toString: null }, 'rest, changed')
    const cms = await data('PUT', `/api/constructors/${id}`, { body: { data: { valueOf: true } } })
    assert.deepEqual([cms.attributes.valueOf, cms.attributes.toString], [true, 5])
    await data('PATCH', `${PATH}/${id}`, { body: { toString: null, valueOf: null } })
  })

  test('gateway finding 2: such names in queries and bodies are answered, never with 500', async () => {
    const queries = STRANGE.flatMap((name) => [
      `${PATH}?sort=${name}`,
      `${PATH}?filters[${name}]=1`,
      `${PATH}?filters[${name}][${name}]=1`,
      `${PATH}?fields=${name}&include=${name}`,
      `${PATH}?${name}=1`,
      `/api/constructors?sort=${name}:asc`,
      `/api/constructors?filters[${name}][$eq]=1`,
      `/api/constructors?filters[${name}][${name}]=1`,
      `/api/constructors?populate=${name}&fields[0]=${name}`,
      `/api/constructors?publicationState=${name}&status=${name}`,
      `/api/constructors?pagination[${name}]=1&${name}=1&locale=${name}`,
      `${NODES}?sort=${name}&include=${name}`,
      `${NODES}?sort[a][path]=${name}&sort[a][direction]=${name}`,
      `${NODES}?filter[${name}]=1`,
      `${NODES}?filter[a][condition][path]=${name}&filter[a][condition][value]=1&filter[a][condition][operator]=${name}`,
      `${NODES}?filter[${name}][condition][path]=id&filter[${name}][condition][value]=1`,
      `${NODES}?filter[g][group][conjunction]=${name}&page[${name}]=1&fields[${name}]=${name}`,
      `/jsonapi/user/user?filter[${name}]=1`,
      `/jsonapi/${name}/${name}`,
      `${DELIVERED}?filter=${name}:1&sort=${name}:asc&fetch=${name}`,
      `${DELIVERED}?filter=contentType:${name}&fields=properties[${name}]&expand=properties[${name}]`,
      `${DELIVERED}?${name}=1&filter=${name}>1`,
      `${DELIVERED}/item/${name}`,
      `/api/v1/settings/${name}`,
      `/api/v1/content-types/${name}`,
      `/api/v1/components/${name}`,
      `/api/v1/locales/${name}`,
      `/api/v1/keys?sort=${name}&${name}=1`,
      `/api/v1/users?sort=${name}`,
      `/api/v1/plans/${name}`,
      `/api/v1/usage?interval=${name}&group_by=${name}`,
      `/api/v1/webhooks?sort=${name}`,
      `/api/v1/events?type=${name}`,
      `/api/${name}`,
      `/${name}`,
      `/openapi/${name}.json`,
    ])
    const bodies = STRANGE.flatMap((name): [string, string, string][] => {
      const own = `{"${name}":{"${name}":1}}`
      const attributes = `{"data":{"type":"constructor--constructor","attributes":${own}}}`
      const linked = `{"data":{"type":"constructor--constructor","relationships":{"${name}":{"data":${own}}}}}`
      return [
        ['POST', PATH, own],
        ['PATCH', `${PATH}/${id}`, own],
        ['POST', '/api/constructors', `{"data":${own}}`],
        ['PUT', `/api/constructors/${id}`, `{"data":${own},"${name}":1}`],
        ['POST', NODES, attributes],
        ['POST', NODES, linked],
        [
          'POST',
          '/api/v1/content-types',
          `{"singularName":"x","pluralName":"xs","attributes":${own}}`,
        ],
        ['PATCH', '/api/v1/content-types/constructor', `{"attributes":${own}}`],
        ['POST', '/api/v1/components', `{"uid":"a.${name.toLowerCase()}","attributes":${own}}`],
        ['PATCH', '/api/v1/settings/content', own],
        ['PATCH', `/api/v1/settings/${name}`, own],
        ['POST', '/api/v1/keys', own],
        ['POST', '/api/v1/plans', own],
        [
          'POST',
          '/api/v1/webhooks',
          `{"url":"https://example.org","events":["${name}"],"headers":${own}}`,
        ],
        ['POST', `${PATH}/${name}`, own],
        ['POST', `${PATH}/bulk`, `{"create":[${own}],"key":"${name}"}`],
      ]
    })
    const failed: string[] = []
    const note = (what: string, status: number) => {
      if (status >= 500) failed.push(`${status} ${what}`)
    }
    for (const path of queries) {
      const { status } = await call('GET', encodeURI(path))
      note(path, status)
    }
    for (const [method, path, text] of bodies) {
      const headers = path === NODES ? JSONAPI : {}
      const { status } = await call(method, path, { text, headers })
      note(`${method} ${path} ${text}`, status)
    }
    assert.deepEqual(failed, [], server().output().slice(-3000))
    assert.equal((await call('GET', '/health')).status, 200)
  })
})
