import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { storeSuite } from './support.ts'

const WARES = '/api/v1/wares'
const NODES = '/jsonapi/node/ware'
const DELIVERED = '/cms/delivery/api/v2/content'
const JSONAPI = { 'content-type': 'application/vnd.api+json' }

const VALUES = {
  ...{ title: 'Kräne & "Häfen" \u2028 😀', note: 'a,"count":1} \\', count: -7, price: 12.25 },
  ...{ ratio: 0.1, flag: false, day: '2024-02-29', choice: 'b', words: ['b', 'a'], stock: 7 },
}
const NAMES = Object.keys(VALUES)

interface Ware {
  readonly id: number
  readonly document_id: string
}

type Values = Readonly<Record<string, unknown>>

/** What one dialect writes, all others read: alone and in a list, which may be made in another way. */
export const everyDialect = storeSuite('one entry in every dialect', ({ call, data }) => {
  before(async () => {
    await data('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
    const attributes = {
      ...{ title: { type: 'string' }, note: { type: 'text' }, count: { type: 'integer' } },
      ...{ price: { type: 'decimal' }, ratio: { type: 'float' }, flag: { type: 'boolean' } },
      ...{ day: { type: 'date' }, choice: { type: 'enumeration', enum: ['a', 'b'] } },
      ...{ words: { type: 'tags' }, stock: { type: 'integer', unversioned: true, default: 0 } },
    }
    const kind = { draftAndPublish: true, localized: true, attributes }
    await data('POST', '/api/v1/content-types', {
      body: { singularName: 'ware', pluralName: 'wares', ...kind },
    })
  })

  const read = async (path: string, headers = {}) => {
    const { status, body } = await call('GET', path, { key: null, headers })
    assert.equal(status, 200, path)
    return body
  }
  const pick = (values: Values) => Object.fromEntries(NAMES.map((name) => [name, values[name]]))

  /** As each dialect shows it to anybody; only the versioned REST API needs a key. */
  async function shown({ id, document_id }: Ware, locale = 'en'): Promise<Record<string, Values>> {
    const nodes = locale === 'en' ? NODES : `/${locale}${NODES}`
    const spoken = { 'accept-language': locale }
    const own = (items: readonly { id: unknown }[]) => items.find((item) => item.id === document_id)
    const cms = await read(`/api/wares?locale=${locale}&filters[id][$eq]=${id}`)
    const node = own((await read(nodes)).data) as { attributes: Values } | undefined
    const item = own((await read(`${DELIVERED}?take=100`, spoken)).items)
    const named = (found: unknown) => {
      const { name, properties } = found as { name: unknown; properties: Values }
      return { title: name, ...properties }
    }
    const graphql = async (path: string, shape: string) => {
      const filter = `${path === '' ? 'filters' : 'filter'}:{id:{eq:"${id}"}}`
      const query = `{wares(locale:"${locale}",${filter}){${shape.replace('FIELDS', NAMES.join(' '))}}}`
      return (await read(`/graphql${path}?query=${encodeURIComponent(query)}`)).data.wares
    }
    return {
      graphql: pick((await graphql('', 'data{attributes{FIELDS}}')).data[0].attributes),
      'graphql offset': pick((await graphql('/offset', 'items{FIELDS}')).items[0]),
      'graphql connection': pick(
        (await graphql('/connection', 'edges{node{FIELDS}}')).edges[0].node,
      ),
      rest: pick(await data('GET', `${WARES}/${id}`)),
      cms: pick((await read(`/api/wares/${id}`)).data.attributes),
      'cms list': pick(cms.data[0].attributes),
      jsonapi: pick((await read(`${nodes}/${document_id}`)).data.attributes),
      'jsonapi list': pick(node?.attributes ?? {}),
      delivery: pick(named(await read(`${DELIVERED}/item/${document_id}`, spoken))),
      'delivery list': pick(named(item)),
    }
  }

  async function assertShown(ware: Ware, values: Values, locale?: string) {
    const all = await shown(ware, locale)
    for (const [dialect, found] of Object.entries(all)) assert.deepEqual(found, values, dialect)
  }

  test('content-model 2: what REST, the CMS, JSON:API or GraphQL writes is read the same in every dialect', async () => {
    await assertShown(await data('POST', WARES, { body: VALUES }), VALUES)
    const cms = await data('POST', '/api/wares', { body: { data: VALUES } })
    await assertShown(await data('GET', `${WARES}/${cms.id}`), VALUES)
    const node = await call('POST', NODES, {
      headers: JSONAPI,
      body: { data: { type: 'node--ware', attributes: { ...VALUES, status: true } } },
    })
    assert.equal(node.status, 201, JSON.stringify(node.body))
    const { id, attributes } = node.body.data
    await assertShown({ id: attributes.drupal_internal__nid, document_id: id }, VALUES)
    const query = 'mutation ($data: WareInput!) { createWare(data: $data) { data { id } } }'
    const made = await call('POST', '/graphql', { body: { query, variables: { data: VALUES } } })
    assert.equal(made.body.errors, undefined, JSON.stringify(made.body.errors))
    await assertShown(await data('GET', `${WARES}/${made.body.data.createWare.data.id}`), VALUES)
  })

  test('content-model 4: a draft of a live entry changes the answer of no dialect until it is published', async () => {
    const ware = await data('POST', WARES, { body: VALUES })
    const draft = { title: 'Draft', count: 8, words: ['new'] }
    await data('PATCH', `${WARES}/${ware.id}?status=draft`, { body: draft })
    await assertShown(ware, VALUES)
    await data('POST', `${WARES}/${ware.id}/discard-draft`)
    await data('POST', `${WARES}/${ware.id}/publish`)
    await assertShown(ware, VALUES)
    await data('PATCH', `${WARES}/${ware.id}?status=draft`, { body: draft })
    await data('POST', `${WARES}/${ware.id}/publish`)
    await assertShown(ware, { ...VALUES, ...draft })
  })

  test('content-model 5: publishing one locale publishes no other, in every dialect', async () => {
    const en = await data('POST', WARES, { body: VALUES })
    const french = { ...VALUES, title: 'Grues' }
    const body = { ...french, locale: 'fr', document_id: en.document_id }
    const fr = await data('POST', WARES, { body })
    for (const { id } of [en, fr]) {
      await data('PATCH', `${WARES}/${id}?status=draft`, { body: { note: 'draft' } })
    }
    await data('POST', `${WARES}/${fr.id}/publish`)
    await assertShown(en, VALUES)
    await assertShown(fr, { ...french, note: 'draft' }, 'fr')
  })

  test('content-model 18: a changed unversioned value shows at once in every dialect and locale', async () => {
    const en = await data('POST', WARES, { body: VALUES })
    const french = { ...VALUES, title: 'Grues' }
    const body = { ...french, locale: 'fr', document_id: en.document_id }
    const fr = await data('POST', WARES, { body })
    await data('PATCH', `${WARES}/${en.id}?status=draft`, { body: { title: 'Draft', stock: 9 } })
    await assertShown(en, { ...VALUES, stock: 9 })
    await assertShown(fr, { ...french, stock: 9 }, 'fr')
  })
})
