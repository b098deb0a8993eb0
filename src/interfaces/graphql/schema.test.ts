import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { manyTypes } from '#test-kit'
import { createDocuments } from './query/document.ts'
import { createSchemas, FORMS, type Form, type Schema } from './schema.ts'

const SETTINGS = {
  ...{ introspection: true, maxTokens: 5_000, maxDepth: 20 },
  ...{ maxHops: 5, maxAliases: 20, maxCost: 10_000 },
}
function setUp(count: number) {
  let model = manyTypes(count, 1)
  let taken = 0
  const listeners: (() => void | Promise<void>)[] = []
  const schemas = createSchemas({
    model() {
      taken++
      return model
    },
    onModelChange(listener) {
      listeners.push(listener)
      return () => {}
    },
  })
  return { schemas, taken: () => taken, change }

  async function change(): Promise<void> {
    model = manyTypes(count + 1, model.revision + 1)
    await Promise.all(listeners.map((listener) => listener()))
  }
}

/** The longest turn of the event loop, by processor time of its thread: others work on the machine, too. */
function watchTurns() {
  let longest = 0
  let since = process.threadCpuUsage()
  let isWatching = true
  setImmediate(turn)
  return {
    end() {
      isWatching = false
      return longest / 1_000
    },
  }

  function turn(): void {
    const { user, system } = process.threadCpuUsage(since)
    longest = Math.max(longest, user + system)
    since = process.threadCpuUsage()
    if (isWatching) setImmediate(turn)
  }
}

describe('schemas of 500 types', () => {
  test('nothing is made before it is asked for, and a change waits for the swap', async (t) => {
    const { schemas, taken, change } = setUp(500)
    await change()
    assert.equal(taken(), 0)
    for (const form of FORMS) await schemas.get(form)
    const old = await schemas.get('cms')
    const turns = watchTurns()
    const changing = change()
    assert.equal(schemas.get('cms'), old)
    await changing
    const longestMs = turns.end()
    const now = schemas.get('cms')
    assert.ok(!(now instanceof Promise) && now !== old)
    assert.equal(now.model.types.length, 501)
    assert.ok(now.schema.getType('Type500'))
    t.diagnostic(`the longest turn took ${longestMs.toFixed(1)} ms`)
    assert.ok(longestMs < 150, `the loop stood for ${longestMs} ms`)
  })

  test('several who ask at once wait for one, and an older one never takes its place', async () => {
    const { schemas, change } = setUp(20)
    const first = schemas.get('cms')
    assert.equal(schemas.get('cms'), first)
    await Promise.all([first, change()])
    const now = schemas.get('cms')
    assert.ok(!(now instanceof Promise))
    assert.equal(now.model.revision, 2)
  })

  test('what a schema of the model before answers meanwhile is not kept', async () => {
    const { schemas, change } = setUp(20)
    const inForce = new Map<Form, Schema>()
    const take = async (form: Form) => inForce.set(form, await schemas.get(form))
    const documents = createDocuments({
      get(form) {
        return inForce.get(form) ?? schemas.get(form)
      },
      inForce: schemas.inForce,
      close() {},
    })
    const prepare = async () => {
      const { schema } = await documents.prepare('cms', '{ type0s { total } }', null, SETTINGS)
      return { form: schema.form, revision: schema.model.revision }
    }
    for (const form of FORMS) await take(form)
    assert.deepEqual(await prepare(), { form: 'offset', revision: 1 })
    await change()
    await take('cms')
    assert.deepEqual(await prepare(), { form: 'offset', revision: 1 })
    await take('offset')
    assert.deepEqual(await prepare(), { form: 'offset', revision: 2 })
  })
})
