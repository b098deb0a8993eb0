import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeSuite } from './support.ts'

const TYPES = '/api/v1/content-types'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }
const ROUNDS = 3

/** Requests that run while a type or a component is removed (content model §11). */
export const removedTypes = storeSuite('types that go while they are read', ({ call, data }) => {
  const hull = { type: 'component', component: 'default.hull', repeatable: true }
  const crew = {
    type: 'relation',
    relation: 'manyToMany',
    target: 'sailor',
    targetAttribute: 'boats',
  }

  async function prepare(): Promise<string> {
    await data('POST', '/api/v1/content-types/batch', {
      body: {
        components: [{ name: 'hull', attributes: { plank: { type: 'string' } } }],
        contentTypes: [
          {
            ...{ singularName: 'sailor', pluralName: 'sailors' },
            attributes: { name: { type: 'string' } },
          },
          {
            ...{ singularName: 'boat', pluralName: 'boats', draftAndPublish: true },
            attributes: { name: { type: 'string' }, crew, hull },
          },
        ],
      },
    })
    const sailor = await data('POST', '/api/v1/sailors', { body: { name: 'Ann' } })
    const values = { name: 'b', crew: [sailor.id], hull: [{ plank: 'oak' }] }
    const operations = Array.from({ length: 60 }, () => ({ op: 'create', data: values }))
    await data('POST', '/api/v1/boats/bulk', { body: { operations } })
    return (await data('GET', '/api/v1/boats/1')).document_id
  }

  /** Everything that leads to boats, in every dialect. */
  function requests(documentId: string): readonly (() => ReturnType<typeof call>)[] {
    const get = (path: string) => () => call('GET', path)
    const graphql = (path: string, query: string) =>
      get(`/graphql${path}?query=${encodeURIComponent(query)}`)
    const node = { type: 'node--boat', attributes: { name: 'new' } }
    const create = 'mutation {createBoat(data: {name: "new"}){data{id}}}'
    return [
      get('/api/v1/boats?include=crew,hull'),
      get('/api/v1/sailors?include=boats'),
      get('/api/v1/sailors/1/boats'),
      get('/api/v1/search?q=b'),
      get('/api/boats?populate=*'),
      get('/api/sailors?populate=*'),
      get('/api/sailors?filters[boats][name]=b&sort=boats.name'),
      get('/jsonapi/node/boat?include=crew'),
      get('/jsonapi/node/sailor?include=boats'),
      get(`/jsonapi/node/boat/${documentId}/crew`),
      get(`${DELIVERED}?take=50`),
      get(`${DELIVERED}/item/${documentId}?expand=properties[$all]`),
      graphql('', '{boats{data{attributes{name crew{data{id}} hull{plank}}}}}'),
      graphql('', '{sailors{data{attributes{boats{data{id}}}}}}'),
      graphql('/offset', '{boats{items{name crew{items{name}}}}}'),
      graphql('/connection', '{boats{edges{node{name}}}}'),
      () => call('POST', '/api/v1/boats', { body: { name: 'new', crew: [1] } }),
      () => call('PUT', '/api/boats/1', { body: { data: { name: 'changed' } } }),
      () => call('POST', '/jsonapi/node/boat', { headers: JSONAPI, body: { data: node } }),
      () => call('POST', '/graphql', { body: { query: create } }),
    ]
  }

  /** Asks everything again and again until `work` is done; what failed on our side. */
  async function beside(documentId: string, work: () => Promise<unknown>): Promise<unknown[]> {
    const faults: unknown[] = []
    let isDone = false
    const asking = requests(documentId).map(async (ask, at) => {
      for (let again = 2; again > 0; again -= isDone ? 1 : 0) {
        const { status, body } = await ask()
        const text = JSON.stringify(body)
        if (status >= 500 || /INTERNAL_SERVER_ERROR|Internal Server Error/.test(text))
          faults.push([at, status, text.slice(0, 300)])
      }
    })
    await work()
    isDone = true
    await Promise.all(asking)
    return faults
  }

  test('content-model 11: no request fails because a type is removed while it runs', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const documentId = await prepare()
      const faults = await beside(documentId, () => call('DELETE', `${TYPES}/boat?force=true`))
      assert.deepEqual(faults, [])
      assert.equal((await call('GET', '/api/v1/boats')).status, 404)
      await data('DELETE', `${TYPES}/sailor?force=true`)
      await data('DELETE', '/api/v1/components/default.hull?force=true')
    }
  })

  test('content-model 11: nor because a component is', async () => {
    const documentId = await prepare()
    const remove = async () => {
      const gone = await call('DELETE', '/api/v1/components/default.hull?force=true')
      assert.equal(gone.status, 204, JSON.stringify(gone.body))
    }
    const faults = (await beside(documentId, remove)).filter(isNotRefusedWrite)
    assert.deepEqual(faults, [])
  })
})

/** What was planned for the definition before is asked to be sent again. */
function isNotRefusedWrite(fault: unknown): boolean {
  return !(Array.isArray(fault) && fault[1] === 503 && /changed just now/.test(String(fault[2])))
}
