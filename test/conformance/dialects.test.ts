import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { before, test } from 'node:test'
import { eachDatabase, installation, startServer, type TestServer } from '#test-kit'
import { createDice } from './content-query/random.ts'
import { askers, type Found } from './dialects/askers.ts'
import { holdsListed, pairsOf, randomListed } from './dialects/lists.ts'
import { answerTo, randomQuestion, randomThings, type Thing } from './dialects/questions.ts'

const SEED = Number(process.env['SEED'] ?? 20_26)
const QUESTIONS = Number(process.env['QUERIES'] ?? 120)
const KEY = `sk_${'Admin0'.repeat(8)}`

const TYPE = {
  singularName: 'thing',
  pluralName: 'things',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true },
    rank: { type: 'integer', required: true },
    mood: { type: 'string' },
    whole: { type: 'integer' },
    price: { type: 'decimal' },
    flag: { type: 'boolean' },
    day: { type: 'date' },
    moment: { type: 'datetime' },
  },
}

/** The same as products: what these have besides. */
const PRODUCT = {
  ...{ singularName: 'product', pluralName: 'products', draftAndPublish: true },
  attributes: {
    ...TYPE.attributes,
    sku: { type: 'string', required: true, unique: true },
    name: { type: 'string' },
    stock: { type: 'integer', unversioned: true },
    is_in_stock: { type: 'boolean', unversioned: true },
  },
}

const things: readonly Thing[] = randomThings(createDice(SEED), 80)

eachDatabase('the same question in every dialect', (kind) => {
  let server: TestServer | undefined
  /** By number of the entry and by that of its document: the place among the things. */
  const places = new Map<string, number>()
  const start = AsyncResource.bind(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: KEY })),
  )

  before(async () => {
    server = await start()
    await send('/api/v1/content-types', TYPE)
    await send('/api/v1/content-types', PRODUCT)
    const operations = things.map(({ isDraft, ...data }) => ({
      op: 'create',
      data: { ...data, status: isDraft ? 'draft' : 'published' },
    }))
    const { data } = await send('/api/v1/things/bulk', { operations })
    const made: readonly { id: number }[] = data
    made.forEach(({ id }, at) => {
      places.set(String(id), at)
    })
    const products = operations.map(({ op, data: own }, at) => ({
      op,
      data: { ...own, sku: `T${at}` },
    }))
    const same = await send('/api/v1/products/bulk', { operations: products })
    assert.deepEqual(
      same.data.map(({ id }: { id: number }) => id),
      made.map(({ id }) => id),
    )
    const listed = await send('/api/v1/things?per_page=100')
    for (const each of listed.data) {
      places.set(each.document_id, places.get(String(each.id)) ?? -1)
    }
  })

  for (const { name, ask, canAsk = () => true } of askers) {
    test(`${name} answers as a plain walk over all things does`, async () => {
      for (let n = 0; n < QUESTIONS; n++) {
        const question = randomQuestion(createDice(SEED + n))
        if (!canAsk(question)) continue
        const expected = answerTo(things, question)
        const url = `${server?.url}${ask.url(question)}`
        // The house's own interface and commerce want to know who asks.
        const headers = /\/(api\/v1|rest\/V1)\//.test(url) ? { 'x-api-key': KEY } : {}
        const answer = await fetch(url, { headers })
        const text = await answer.text()
        assert.equal(answer.status, 200, `seed ${SEED + n} ${decodeURIComponent(url)}: ${text}`)
        const found: Found = ask.read(JSON.parse(text))
        const told = `seed ${SEED + n} ${decodeURIComponent(url)}`
        assert.deepEqual(
          found.ids.map((id) => places.get(id)),
          expected.places,
          told,
        )
        assert.equal(found.total, expected.total, told)
      }
    })
  }

  for (const [name, base, size] of [
    ['CMS REST', '/api/things', 'pagination[limit]=100'],
    ['/api/v1', '/api/v1/things', 'per_page=100'],
  ] as const) {
    test(`cms-rest 4.1: ${name} takes lists under every operator, and compares texts as it sorts them`, async () => {
      for (let n = 0; n < QUESTIONS; n++) {
        const conditions = randomListed(createDice(SEED + n))
        const expected = things.flatMap((thing, place) => {
          const isFound = conditions.every((each) => holdsListed(thing, each))
          return isFound && !thing.isDraft ? [place] : []
        })
        const { data } = await send(`${base}?${size}&sort=id&${pairsOf(conditions)}`)
        assert.deepEqual(
          data.map(({ id }: { id: number }) => places.get(String(id))),
          expected,
          `seed ${SEED + n} ${JSON.stringify(conditions)}`,
        )
      }
    })
  }

  async function send(path: string, body?: unknown) {
    const answer = await fetch(`${server?.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
})
