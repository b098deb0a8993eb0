import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, startPair, type TestServer, until } from '#test-kit'
import { CLIENT, createBrowser, startProvider } from './openid-provider.ts'
import { administration, INSTALLATION, named, startUpstream, tally } from './support.ts'

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

test('gateway 25: a guard that aborts on one node takes the entry out of use on the other, and is told there too', async () => {
  const stable = await startUpstream(named('stable'))
  const canary = await startUpstream((request, response) => {
    request.resume()
    response.writeHead(500).end('canary')
  })
  const nodes = await startPair({ ...INSTALLATION, ENTREPOT_GATEWAY_THREADS: '2' })
  const [one, two] = nodes
  const { admin, put } = administration(() => one.url)
  const other = administration(() => two.url)
  const write = () =>
    put('/routes/split', {
      uri: '/split',
      upstream: { nodes: { [stable.node]: 1 } },
      plugins: {
        'traffic-split': {
          rules: [
            {
              weighted_upstreams: [
                {
                  upstream: { nodes: { [canary.node]: 1 } },
                  guard: { error_ratio: 0.5, min_requests: 10, window: 30 },
                },
                {},
              ],
            },
          ],
        },
      },
    })
  await write()
  const ask = async (node: TestServer, count: number) => {
    const answers: string[] = []
    for (let n = 0; n < count; n++) {
      const answer = await fetch(`${node.gatewayUrl}/split`, { headers: { connection: 'close' } })
      answers.push(await answer.text())
    }
    return tally(answers)
  }
  const isAborted = async (at: typeof other) => {
    const { body } = await at.admin('GET', '/gateway/prometheus/metrics')
    return /gateway_split_aborted\{owner="routes\/split",rule="0",entry="0"\} 1/.test(String(body))
  }
  await until(async () => (await fetch(`${two.gatewayUrl}/split`)).status !== 404)
  // Each node judges by its own traffic: that of the second is too little to judge.
  assert.equal((await ask(two, 6))['canary'], 3)
  await ask(one, 22)
  await until(() => isAborted({ admin, put }))
  await until(() => isAborted(other))
  assert.deepEqual(await ask(two, 20), { stable: 20 })
  for (const { url } of nodes) {
    const found = await until(async () => {
      const path = '/webhooks/events?event=gateway.split.aborted'
      const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': ADMIN_KEY } })
      const text = JSON.stringify(await answer.json())
      return text.includes('gateway/routes/split') ? text : undefined
    })
    assert.equal(found.split('gateway/routes/split').length, 2, 'it is told once for both nodes')
  }
  // An edit on the other node ends it on both.
  await other.admin('PATCH', '/routes/split', { body: { desc: 'another try' } })
  await until(async () => !(await isAborted(other)) && !(await isAborted({ admin, put })))
  await until(async () => (await ask(one, 4))['canary'] === 2)
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
