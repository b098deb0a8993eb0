import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPair, type TestServer, until } from '#test-kit'
import { CLIENT, createBrowser, startProvider } from './openid-provider.ts'
import { administration, INSTALLATION, startUpstream } from './support.ts'

test('gateway 26: sessions hold, and purges reach every thread, on all nodes', async () => {
  const upstream = await startUpstream((request, response) => {
    response.end(JSON.stringify(request.headers))
  })
  const nodes = await startPair({ ...INSTALLATION, ENTREPOT_GATEWAY_THREADS: '2' })
  const [one, two] = nodes
  const { admin, put } = administration(() => one.url)
  const node = { nodes: { [upstream.node]: 1 } }
  await put('/routes/kept', { uri: '/kept', upstream: node, plugins: { 'proxy-cache': {} } })
  const provider = await startProvider([`${one.gatewayUrl}/app/.gateway/redirect`], one.gatewayUrl)
  const settings = { discovery: provider.discovery, ...CLIENT }
  await put('/routes/app', {
    uri: '/app*',
    upstream: node,
    plugins: { 'openid-connect': settings },
  })
  const route = `${two.gatewayUrl}/app`
  await until(async () => (await fetch(route, { redirect: 'manual' })).status === 302)

  const browser = createBrowser()
  assert.equal((await browser.signIn(`${one.gatewayUrl}/app`, 'ann')).answer.status, 200)
  const jar = browser.jar.get(one.gatewayUrl) ?? new Map<string, string>()
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const other = await fetch(route, { redirect: 'manual', headers: { cookie } })
  assert.equal(other.status, 200)
  assert.equal(JSON.parse(await other.text())['cookie'], undefined)

  for (const each of nodes) await until(async () => (await look(each)) === 'HIT,HIT')
  const { status, body } = await admin('DELETE', '/gateway/control/v1/cache?prefix=/kept')
  assert.deepEqual([status, body], [200, { purged: 2 }])
  const before = upstream.seen.length
  await until(async () => {
    const found = await Promise.all([...nodes].map(look))
    return found.length === 2 && upstream.seen.length - before >= 4
  })
})

/** What each thread of a node says; asks until all have answered. */
async function look(server: TestServer): Promise<string> {
  const found = new Map<string, string>()
  await until(async () => {
    const answer = await fetch(`${server.gatewayUrl}/kept`, { headers: { connection: 'close' } })
    await answer.arrayBuffer()
    const thread = answer.headers.get('x-test-thread') ?? ''
    found.set(thread, answer.headers.get('x-cache-status') ?? '')
    return found.size === 2
  })
  return [...found.values()].join()
}
