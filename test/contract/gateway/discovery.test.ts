import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  assertPrompt,
  installation,
  type Srv,
  startNameServer,
  startServer,
  temporaryDirectory,
  until,
} from '#test-kit'
import { administration, INSTALLATION, named, startUpstream, tally } from './support.ts'

describe('gateway nodes found by name', () => {
  test('gateway 21: records of a service are nodes, by weight and priority, and follow what the name server says', async () => {
    const [a, b, spare] = [
      await startUpstream(named('a')),
      await startUpstream(named('b')),
      await startUpstream(named('spare')),
    ]
    const records: Srv[] = [
      { priority: 1, weight: 3, port: a.port, target: 'localhost' },
      { priority: 1, weight: 1, port: b.port, target: 'localhost' },
      { priority: 2, weight: 1, port: spare.port, target: 'localhost' },
    ]
    const names = await startNameServer(records)
    const server = await startServer(
      await installation('sqlite', { ...INSTALLATION, NODE_OPTIONS: asking(names.port) }),
    )
    const { put, admin } = administration(() => server.url)
    const ask = async () => (await fetch(`${server.gatewayUrl}/srv`)).text()
    const many = async () => tally(await Promise.all(Array.from({ length: 12 }, ask)))
    await put('/routes/srv', {
      uri: '/srv',
      upstream: { service_name: '_http._tcp.shop.test', discovery_type: 'dns' },
    })
    assert.deepEqual(await many(), { a: 9, b: 3 })
    // Nodes of a later priority are used when none of an earlier one can be.
    await Promise.all([a.close(), b.close()])
    await until(async () => (await ask()) === 'spare')
    assert.ok(names.questions() >= 1)

    const c = await startUpstream(named('c'))
    records.splice(0, records.length, { priority: 1, weight: 0, port: c.port, target: 'localhost' })
    await until(async () => (await ask()) === 'c', { what: 'the new node' })
    assert.deepEqual(await many(), { c: 12 })

    names.silence()
    const asked = names.questions()
    await until(() => names.questions() > asked, { what: 'a question that nobody answers' })
    assert.deepEqual(await many(), { c: 12 }, 'what was known last stays in use')
    const startedAt = performance.now()
    await put('/routes/none', {
      uri: '/none',
      upstream: { service_name: '_none._tcp.shop.test', discovery_type: 'dns' },
    })
    assertPrompt(performance.now() - startedAt, 10_000, 'a change beside a silent name server')
    const none = await fetch(`${server.gatewayUrl}/none`)
    assert.equal(none.status, 503)
    assert.equal(JSON.parse(await none.text()).code, 'no_upstream')
    assert.equal((await admin('DELETE', '/routes/none')).status, 200)
  })
})

/** A process with this option asks our name server instead of that of the system. */
function asking(port: number): string {
  const file = join(temporaryDirectory(), 'name-server.mjs')
  writeFileSync(file, `import dns from 'node:dns'\ndns.setServers(['127.0.0.1:${port}'])\n`)
  return `--import=${pathToFileURL(file).href}`
}
