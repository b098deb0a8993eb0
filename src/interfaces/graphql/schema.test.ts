import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, test } from 'node:test'
import type { Attribute, ContentModel, ContentType } from '#content'
import { cmsModel } from '#test-kit'
import { Refused } from './errors.ts'
import { createDocuments } from './query/document.ts'
import { createSchemas, type Form, type Schema } from './schema.ts'

const FORMS: readonly Form[] = ['cms', 'offset', 'connection']
const SETTINGS = {
  ...{ introspection: true, maxTokens: 5_000, maxDepth: 20 },
  ...{ maxHops: 5, maxAliases: 20, maxCost: 10_000 },
}
const { author } = cmsModel
const [text] = author.attributes
const related = cmsModel.article.attribute.get('author')

/** Ten values and two relations each. */
function manyTypes(count: number, revision: number): ContentModel {
  const types = Array.from({ length: count }, (_, no): ContentType => {
    const attributes = attributesOf(no, count)
    const attribute = new Map(attributes.map((each) => [each.name, each]))
    const names = { singularName: `type-${no}`, pluralName: `type-${no}s` }
    return { ...author, ...names, no, uid: `api::type-${no}`, attributes, attribute }
  })
  const byName = new Map(types.map((type) => [type.singularName, type]))
  const findType = (name: string) => byName.get(name)
  return { ...cmsModel.model, revision, types, findType }
}

function attributesOf(no: number, count: number): readonly Attribute[] {
  assert.ok(text && related?.type === 'relation')
  const values = Array.from({ length: 10 }, (_, at) => ({ ...text, name: `field${at}` }))
  const relations = [1, 2].map((step) => {
    const target = `type-${(no + step) % count}`
    return { ...related, name: `next${step}`, target }
  })
  return [...values, ...relations]
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

describe('schemas of 500 types', () => {
  test('nothing is made before it is asked for, and a change waits for the swap', async (t) => {
    const { schemas, taken, change } = setUp(500)
    await change()
    assert.equal(taken(), 0)
    for (const form of FORMS) await schemas.get(form)
    const old = await schemas.get('cms')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const changing = change()
    assert.equal(schemas.get('cms'), old)
    await changing
    delay.disable()
    const now = schemas.get('cms')
    assert.ok(!(now instanceof Promise) && now !== old)
    assert.equal(now.model.types.length, 501)
    assert.ok(now.schema.getType('Type500'))
    t.diagnostic(`the loop stood for ${Math.round(delay.max / 1e6)} ms`)
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

const many = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join(' ')
const HOSTILE: Readonly<Record<string, string>> = {
  'ten thousand tokens': `{ ${many(10_000, () => '__typename')} }`,
  'unknown names': `{ ${many(19, (at) => `typo${at}`)} type0s { ${many(4_000, (at) => `typo${at}`)} } }`,
  'unknown names of an entry': `{ type0s { data { attributes { ${many(4_900, (at) => `typo${at}`)} } } } }`,
  'one name many times': `{ type0s { data { attributes { ${many(4_900, () => 'nonsense')} } } } }`,
  'one name, other arguments': `{ type0s { data { attributes { ${many(500, (at) => `a: next1(x: ${at}) { data { id } }`)} } } } }`,
  aliases: `{ ${many(1_000, (at) => `a${at}: type0s { data { id } }`)} }`,
  deep: `{ type0s { data ${'{ attributes { next1 { data '.repeat(500)}{ id } ${'} } }'.repeat(500)} } }`,
  circles: `{ type0s { ...A0 } } ${many(400, (at) => `fragment A${at} on Type0EntityResponseCollection { ...A${(at + 1) % 400} }`)}`,
  doubling: `{ type0s { data { attributes { ...F0 } } } } ${many(
    20,
    (at) => `fragment F${at} on Type0 { ${many(8, (own) => `a${own}: next1 { ...F${at + 1} }`)} }`,
  )} fragment F20 on Type0 { field0 }`,
  wide: `{ type0s { data { attributes { ${many(500, (at) => `a${at}: next1 { ...W }`)} } } } } fragment W on Type1EntityResponse { ${many(500, (at) => `b${at}: __typename`)} }`,
  'many operations': `${many(300, (at) => `query Q${at} { type0s { ...F0 } }`)} ${many(
    200,
    (at) => `fragment F${at} on Type0EntityResponseCollection { ...F${at + 1} }`,
  )} fragment F200 on Type0EntityResponseCollection { data { id } }`,
  'doubling introspection': `{ __type(name: "Query") { ...F0 } } ${many(
    40,
    (at) => `fragment F${at} on __Type { a: ofType { ...F${at + 1} } b: ofType { ...F${at + 1} } }`,
  )} fragment F40 on __Type { name }`,
  'all types many times': `{ __schema { ${many(300, (at) => `a${at}: types { fields { args { type { name } } } }`)} } }`,
  'unused variables': `query (${many(1_200, (at) => `$v${at}: Int`)}) { type0s { data { id } } }`,
  brackets: `{ type0s(filters: ${'{ and: ['.repeat(1_600)}`,
}

test('hostile documents against 500 types are refused within 50 ms', async (t) => {
  const documents = createDocuments(setUp(500).schemas)
  for (const form of FORMS) await documents.prepare(form, '{ __typename }', null, SETTINGS)
  for (const [name, query] of Object.entries(HOSTILE)) {
    const took: number[] = []
    for (let round = 0; round < 5; round++) {
      const { user } = process.cpuUsage()
      await assert.rejects(documents.prepare('cms', query, null, SETTINGS), Refused, name)
      took.push((process.cpuUsage().user - user) / 1_000)
    }
    // Of the best round: others work on the machine, too.
    const best = Math.min(...took)
    t.diagnostic(`${name}: ${best.toFixed(2)} ms`)
    assert.ok(best < 50, `${name} took ${best} ms`)
  }
})
