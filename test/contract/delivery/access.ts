import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { before, test } from 'node:test'
import { ADMIN_KEY, CONTENT, deliverySuite, type Item, MEDIA, MOUNT } from './support.ts'

const FORWARDED = { 'x-forwarded-for': '203.0.113.9' }
const OPENAPI = '/cms/openapi/delivery.json'

export const access = deliverySuite('content delivery: access', (delivery) => {
  const { call, data, get, ok, ids, refused, create, settings, keyOf, raw } = delivery
  const at = { live: '', draft: '', vault: '' }
  const keys = { read: '', write: '', revoked: '' }

  before(async () => {
    const live = await create('articles', { title: 'Live', summary: 'Old' })
    await data('PATCH', `/api/v1/articles/${live.id}?status=draft`, { body: { summary: 'New' } })
    const draft = await create('articles', { title: 'Draft', status: 'draft' })
    const vault = await create('vaults', { name: 'Gold' })
    for (const [name, { document_id }] of Object.entries({ live, draft, vault })) {
      Object.assign(at, { [name]: document_id })
    }
    keys.read = (await keyOf('read')).key
    keys.write = (await keyOf('write')).key
    const revoked = await keyOf('write')
    keys.revoked = revoked.key
    await data('DELETE', `/api/v1/keys/${revoked.id}`)
  })

  const preview = (key?: string) => ({
    ...{ preview: 'true' },
    ...(key === undefined ? {} : { 'api-key': key }),
  })

  test('delivery 14: preview shows drafts to who has the key, and to nobody else', async () => {
    const live = `${CONTENT}/item/${at.live}`
    const missing = await refused(401, live, preview())
    assert.equal(missing.title, 'Unauthorized')
    // Nothing is configured, so nothing fits.
    for (const key of ['', 'undefined', 'null', ' ']) await refused(401, live, preview(key))
    await settings({ ApiKey: 'right-key' })
    const shown = await data('GET', '/api/v1/settings/delivery')
    assert.equal(shown.ApiKey.value, '***')
    assert.deepEqual(await refused(401, live, preview()), missing)
    assert.deepEqual(await refused(401, live, preview('wrong-key')), missing)
    const item = await ok(live, preview('right-key'))
    assert.equal(item.properties.summary, 'New')
    assert.equal(
      (await ok(live, { ...preview('right-key'), preview: 'TRUE' })).properties.summary,
      'New',
    )
    for (const headers of [
      ...[{}, { 'api-key': 'wrong-key' }, { 'api-key': '' }, { 'api-key': 'undefined' }],
      ...[{ 'api-key': keys.revoked }, { preview: 'false' }, { preview: '1', 'api-key': 'x' }],
    ]) {
      assert.equal((await ok(live, headers)).properties.summary, 'Old', JSON.stringify(headers))
    }
    const all = await ids('filter=contentType:article', preview('right-key'))
    assert.deepEqual(all, [at.live, at.draft])
    assert.deepEqual(await ids('filter=contentType:article'), [at.live])

    const draft = await ok(`${CONTENT}/item/${at.draft}`, preview('right-key'))
    assert.equal(draft.route.path, `/preview-${at.draft}/`)
    const byPath = `${CONTENT}/item/preview-${at.draft}`
    assert.equal((await ok(byPath, preview('right-key'))).id, at.draft)
    await refused(404, byPath)
    await settings({ ApiKey: null })
    assert.deepEqual(await refused(401, live, preview('right-key')), missing)
  })

  test('delivery 14: an Entrepot key opens preview by its level', async () => {
    const live = `${CONTENT}/item/${at.live}`
    assert.equal((await ok(live, preview(keys.write))).properties.summary, 'New')
    assert.equal((await ok(live, preview(ADMIN_KEY))).properties.summary, 'New')
    await refused(401, live, preview(keys.read))
    await refused(401, live, preview(`sk_${'x'.repeat(48)}`))
    const revoked = await refused(403, live, preview(keys.revoked))
    assert.deepEqual([revoked.title, revoked.detail], ['Forbidden', 'API key revoked'])
    // The key of Doc 2 is another header; it does not open preview.
    await refused(401, live, { ...preview(), 'x-api-key': keys.write })
    const both = { ...preview(keys.write), 'x-api-key': keys.read }
    assert.equal((await ok(live, both)).properties.summary, 'New')
  })

  test('keys sent the usual way are verified, limited and metered on public reads too', async () => {
    const live = `${CONTENT}/item/${at.live}`
    const wrong = await refused(401, live, { 'x-api-key': `sk_${'x'.repeat(48)}` })
    assert.deepEqual([wrong.title, wrong.detail], ['Unauthorized', 'Invalid API key'])
    assert.equal(
      (await refused(403, live, { 'x-api-key': keys.revoked })).detail,
      'API key revoked',
    )
    const limited = await keyOf('read', 2)
    for (const header of ['x-api-key', 'api-key']) {
      const answer = await get(live, { [header]: limited.key })
      assert.equal(answer.status, 200)
      assert.ok(answer.headers.get('x-ratelimit-limit'), header)
    }
    const over = await get(live, { 'x-api-key': limited.key })
    assert.equal(over.status, 429)
    assert.equal(over.body.title, 'Too Many Requests')
    assert.ok(over.headers.get('retry-after'))
    // Sold content: there with a key, whichever header it comes in, and nowhere without.
    await refused(404, `${CONTENT}/item/${at.vault}`)
    for (const headers of [{ 'x-api-key': keys.read }, { 'api-key': keys.read }]) {
      assert.equal((await ok(`${CONTENT}/item/${at.vault}`, headers)).name, 'Gold')
    }
    await settings({ ApiKey: 'right-key' })
    assert.equal((await ok(`${CONTENT}/item/${at.vault}`, { 'api-key': 'right-key' })).name, 'Gold')
    await refused(404, `${CONTENT}/item/${at.vault}`, { 'api-key': 'wrong-key' })
    await settings({ ApiKey: null })
  })

  test('delivery 15: without public access only this machine reads, or who has a key where that is set', async () => {
    const live = `${CONTENT}/item/${at.live}`
    await settings({ PublicAccess: false, ApiKey: 'right-key' })
    const local = await get(live)
    assert.equal(local.status, 200)
    assert.equal(local.headers.get('cache-control'), 'private, no-cache')
    await refused(401, live, FORWARDED)
    await refused(401, live, { forwarded: 'for=203.0.113.9' })
    await refused(401, live, { 'x-forwarded-for': '127.0.0.1' })
    const host = otherAddress()
    // Also after this machine has read it, and when the request says the same.
    const headers = { host: 'entrepot.test' }
    for (let n = 0; n < 3; n++) assert.equal((await raw(live, { headers })).status, 200)
    const away = await raw(live, { host, headers })
    assert.equal(away.status, host === undefined ? 200 : 401)
    const withKey = [
      ...[{ 'x-api-key': keys.read }, { authorization: `Bearer ${keys.read}` }],
      ...[{ 'api-key': keys.read }, { 'api-key': 'right-key' }],
    ]
    for (const headers of withKey) {
      await refused(401, live, { ...FORWARDED, ...headers })
    }
    await refused(401, live, { ...FORWARDED, ...preview('right-key') })
    await settings({ KeyAccess: true })
    for (const headers of withKey) {
      assert.equal((await ok(live, { ...FORWARDED, ...headers })).id, at.live)
    }
    await refused(401, live, { ...FORWARDED, 'api-key': 'wrong-key' })
    await refused(401, live, FORWARDED)
    const shown = await ok(live, { ...FORWARDED, ...preview('right-key') })
    assert.equal(shown.properties.summary, 'New')
    await settings({ PublicAccess: null, KeyAccess: null, ApiKey: null })
    await settings({ 'Media.PublicAccess': false })
    await refused(401, MEDIA, FORWARDED)
    assert.equal((await ok(live, FORWARDED)).id, at.live)
    await settings({ 'Media.PublicAccess': null })
    await ok(MEDIA, FORWARDED)
  })

  test('delivery 16: settings hold from the next request on', async () => {
    await settings({ 'Media.Enabled': false })
    for (const path of ['', '/items', '/item/x']) await refused(404, `${MEDIA}${path}`)
    await ok(CONTENT)
    await settings({ 'Media.Enabled': null, Enabled: false })
    for (const path of ['/content', '/content/items', `/content/item/${at.live}`, '/media', '/x']) {
      await refused(404, `${MOUNT}${path}`)
    }
    const wrong = { 'x-api-key': `sk_${'x'.repeat(48)}` }
    assert.equal((await get(CONTENT, wrong)).status, 404)
    assert.equal((await call('POST', CONTENT, { key: null })).status, 404)
    assert.equal((await get(OPENAPI)).status, 404)
    await settings({ Enabled: null })
    assert.deepEqual(await ids('filter=contentType:article'), [at.live])
    await settings({ DisallowedContentTypeAliases: ['Article'] })
    assert.deepEqual(await ids('filter=contentType:article'), [])
    await refused(404, `${CONTENT}/item/${at.live}`)
    await settings({ DisallowedContentTypeAliases: null })
    assert.deepEqual(await ids('filter=contentType:article'), [at.live])
  })

  test('publishing shows in the next answer, also in one that was asked for before', async () => {
    const path = `${CONTENT}?filter=contentType:note`
    const before = (await ok(path)).total
    await create('notes', { name: 'New' })
    assert.equal((await ok(path)).total, before + 1)
    const article = await create('articles', { title: 'Soon', status: 'draft' })
    await refused(404, `${CONTENT}/item/soon`)
    await data('POST', `/api/v1/articles/${article.id}/publish`)
    assert.equal((await ok(`${CONTENT}/item/soon`)).id, article.document_id)
    await data('DELETE', `/api/v1/articles/${article.id}`)
    await refused(404, `${CONTENT}/item/soon`)
  })

  test('the interface is described with a schema for each type', async () => {
    const { Validator } = await import('@seriousme/openapi-schema-validator')
    const document = await ok(OPENAPI)
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    assert.ok(valid, JSON.stringify(errors))
    assert.equal(document.openapi, '3.1.0')
    const { schemas } = document.components
    const item = schemas['shared.item']
    assert.equal(item.discriminator.propertyName, 'contentType')
    assert.ok(item.discriminator.mapping.article)
    assert.ok(schemas.article.properties.properties.properties.rating)
    // What a caller may not read is not described to it either.
    assert.equal(schemas.vault, undefined)
    assert.ok((await ok(OPENAPI, { 'x-api-key': keys.read })).components.schemas.vault)
    const { items } = await ok(CONTENT)
    const members = Object.keys(schemas.article.properties).toSorted()
    const article = items.find(({ contentType }: Item) => contentType === 'article')
    assert.deepEqual(Object.keys(article).toSorted(), members)
  })
})

/** An address of this machine that is not the loopback one. */
function otherAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address
}
