import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, createCalls, installation, startServer, type TestServer } from '#test-kit'

const TYPES = 500
const SHAPES = { '': 'data{id}', '/offset': 'total', '/connection': 'totalCount' }

describe(`GraphQL over ${TYPES} types`, () => {
  let server: TestServer | undefined
  const { ok, call } = createCalls(() => server?.url ?? '')

  before(async () => {
    server = await startServer(await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY }))
    for (let from = 0; from < TYPES; from += 50) {
      const contentTypes = Array.from({ length: 50 }, (_, at) => define(from + at))
      await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes } })
    }
  })

  after(() => server?.kill())

  test('graphql 6: a new type is there when its definition is answered, and nobody waits for the schemas', async () => {
    for (const [path, shape] of Object.entries(SHAPES)) await ask(path, `{kind0s{${shape}}}`)
    let isDone = false
    const waits: number[] = []
    const probing = (async () => {
      while (!isDone) {
        const startedMs = performance.now()
        await (await fetch(`${server?.url}/api/kind0s`)).arrayBuffer()
        waits.push(performance.now() - startedMs)
      }
    })()
    await ok('POST', '/api/v1/content-types', { body: define(TYPES) })
    for (const [path, shape] of Object.entries(SHAPES)) await ask(path, `{kind${TYPES}s{${shape}}}`)
    isDone = true
    await probing
    const longest = Math.max(...waits)
    assert.ok(longest < 400, `somebody waited ${longest} ms`)
  })

  async function ask(path: string, query: string): Promise<void> {
    const { body } = await call('POST', `/graphql${path}`, { key: null, body: { query } })
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  }
})

function define(no: number): object {
  const attributes = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`field${at}`, { type: 'string' }]),
  )
  return { singularName: `kind${no}`, pluralName: `kind${no}s`, attributes }
}
