import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '#test-kit'
import { sign } from './signer.ts'
import { caller, commerceInstallation } from './support.ts'

test('commerce 4: signatures hold for the public URL; SHA-1 and page sizes follow the settings', async () => {
  const publicUrl = 'https://shop.example/base'
  const server = await startServer(
    await commerceInstallation('sqlite', {
      ENTREPOT_PUBLIC_URL: publicUrl,
      ENTREPOT_COMMERCE_OAUTH_ALLOW_SHA1: 'false',
      ENTREPOT_COMMERCE_MAX_PAGE_SIZE: '50',
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
})
