import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADMIN_KEY, installation, startNodes, startServer, type TestServer, until } from '#test-kit'
import { showKilledUsage } from './killed.ts'
import { caller, eachInstallation, type InstallationKind } from './support.ts'

export function killedUsage(requests: number): void {
  eachInstallation('usage of a killed server', (kind) => {
    test(`access 16: ${requests} requests and two SIGKILLs leave one record for every answer`, (t) =>
      show(t, kind, requests))
  })
}

async function show(t: TestContext, kind: InstallationKind, requests: number): Promise<void> {
  const [first, other = first] = await start(kind)
  const { call, issueKey } = caller(() => first.url)
  const key = await issueKey()
  await showKilledUsage(t, {
    nodes: [first, other],
    key,
    requests,
    urlOf: ({ url }) => `${url}/api/v1/plans`,
    recordsOf,
  })

  // The memory of this process was all there was to count in: it began again from usage.
  if (kind === 'sqlite') {
    const before = await figures()
    const today = new Date().toISOString().slice(0, 10)
    const records = await allRecords()
    // The requests may have been made on both sides of midnight.
    const todays = records.filter(({ created_at }) => created_at.startsWith(today))
    assert.equal(before.today, todays.length)
    assert.equal((await call('GET', '/plans', { key: key.key })).status, 200)
    const after = await figures()
    assert.deepEqual([after.today, after.month], [before.today + 1, before.month + 1])
  }

  async function figures() {
    return (await call('GET', `/usage?key_id=${key.id}`)).body.data
  }

  /** A drained journal shows in the roll-ups: they stop growing when all is there. */
  function recordsOf(count: number) {
    return until(
      async () => {
        const { body } = await call('GET', `/usage/invoice?key_id=${key.id}`)
        return body.data.requests >= count ? allRecords() : undefined
      },
      { withinMs: 30_000 },
    )
  }

  async function allRecords() {
    const all: { request_id: string; cost: number; created_at: string }[] = []
    let path = `/usage/records?key_id=${key.id}&limit=1000`
    for (;;) {
      const { body } = await call('GET', path)
      all.push(...body.data)
      if (!body.meta.has_more) return all
      path = `/usage/records?key_id=${key.id}&limit=1000&after_id=${body.meta.next_after_id}`
    }
  }
}

async function start(kind: InstallationKind): Promise<[TestServer, TestServer?]> {
  const common = { ENTREPOT_ADMIN_KEY: ADMIN_KEY }
  if (kind === 'nodes') return [...(await startNodes(common)).nodes]
  return [await startServer(await installation(kind, common))]
}
