import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { ADMIN_KEY, createCalls, installation, shareServer, startServer } from '#test-kit'

const TYPES = 500
const SHAPES = { '': 'data{id}', '/offset': 'total', '/connection': 'totalCount' }

describe(`GraphQL over ${TYPES} types`, () => {
  const server = shareServer(async () =>
    startServer(await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })),
  )
  const { ok, call } = createCalls(() => server().url)

  before(async () => {
    for (let from = 0; from < TYPES; from += 50) {
      const contentTypes = Array.from({ length: 50 }, (_, at) => define(from + at))
      await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes } })
    }
  })

  test('graphql 6: a new type is there when its definition is answered, and nobody waits for the schemas', async (t) => {
    for (const [path, shape] of Object.entries(SHAPES)) await ask(path, `{kind0s{${shape}}}`)
    let isDone = false
    const waits: number[] = []
    const pid = server().pid
    const probing = (async () => {
      while (!isDone) {
        const beforeMs = busyMs(pid)
        await (await fetch(`${server().url}/api/kind0s`)).arrayBuffer()
        waits.push(busyMs(pid) - beforeMs)
      }
    })()
    await ok('POST', '/api/v1/content-types', { body: define(TYPES) })
    for (const [path, shape] of Object.entries(SHAPES)) await ask(path, `{kind${TYPES}s{${shape}}}`)
    isDone = true
    await probing
    const longest = Math.max(...waits)
    t.diagnostic(`while somebody waited the main thread worked for ${longest.toFixed(1)} ms`)
    assert.ok(waits.length > 10, `${waits.length} answers meanwhile`)
    assert.ok(longest < 150, `somebody waited for ${longest} ms of the processor`)
  })

  async function ask(path: string, query: string): Promise<void> {
    const { body } = await call('POST', `/graphql${path}`, { key: null, body: { query } })
    assert.equal(body.errors, undefined, JSON.stringify(body.errors))
  }
})

/** Processor time of the main thread so far: what others do on the machine is no part of it. */
function busyMs(pid: number): number {
  const [ran = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(ran) / 1e6
}

function define(no: number): object {
  const attributes = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`field${at}`, { type: 'string' }]),
  )
  return { singularName: `kind${no}`, pluralName: `kind${no}s`, attributes }
}
