import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '#test-kit'
import { sign } from './signer.ts'
import { ADMIN_EMAIL, ADMIN_PASSWORD, caller, commerceInstallation } from './support.ts'

test('commerce 4: signatures hold for the public URL; SHA-1, pages and bulks follow the settings', async () => {
  const publicUrl = 'https://shop.example'
  const server = await startServer(
    await commerceInstallation('sqlite', {
      ENTREPOT_PUBLIC_URL: publicUrl,
      ENTREPOT_COMMERCE_OAUTH_ALLOW_SHA1: 'false',
      ENTREPOT_COMMERCE_MAX_PAGE_SIZE: '50',
      ENTREPOT_COMMERCE_MAX_BULK_ITEMS: '2',
    }),
  )
  const { ok, refused } = caller(() => server.url)
  const { data } = await ok('POST', '/api/v1/integrations', { body: { name: 'ERP' } })
  const path = '/rest/V1/products'
  const send = async (url: string, algorithm: string) => {
    const { headers } = sign(data, url, { algorithm })
    return (await fetch(`${server.url}${path}`, { headers })).status
  }
  assert.equal(await send(`${publicUrl}${path}`, 'HMAC-SHA256'), 200)
  assert.equal(await send(`${server.url}${path}`, 'HMAC-SHA256'), 200)
  assert.equal(await send(`https://other.example${path}`, 'HMAC-SHA256'), 401)
  assert.equal(await send(`${server.url}${path}`, 'HMAC-SHA1'), 401)
  await ok('GET', `${path}?searchCriteria[pageSize]=50`)
  await refused(400, 'GET', `${path}?searchCriteria[pageSize]=51`)
  const elements = ['a', 'b', 'c'].map((sku) => ({ sku, name: sku, price: 1 }))
  await refused(400, 'POST', '/async/V1/products', { body: elements })
  await ok('POST', '/async/V1/products', { body: elements.slice(1) })
})

test('commerce §9: without commerce none of its paths is there, and all else is', async () => {
  const server = await startServer(
    await commerceInstallation('sqlite', { ENTREPOT_COMMERCE_ENABLED: 'false' }),
  )
  const { call, ok } = caller(() => server.url)
  for (const path of ['/rest/V1/products', '/V1/products', '/rest/default/V1/modules']) {
    assert.equal((await call('GET', path)).status, 404, path)
  }
  const login = { username: ADMIN_EMAIL, password: ADMIN_PASSWORD }
  const token = await call('POST', '/V1/integration/admin/token', { key: null, body: login })
  assert.equal(token.status, 404)
  assert.equal((await call('POST', '/async/V1/products', { body: [] })).status, 404)
  await ok('GET', '/api/v1/products')
})
