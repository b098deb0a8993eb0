import assert from 'node:assert/strict'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ADMIN_KEY, assertPrompt, until } from '#test-kit'
import type { OperationServer } from './support.ts'

/** What the API has for the console (console contract §4): how the server is, and saved views. */
export function overviewSuite({ server, call, data }: OperationServer): void {
  describe('overview, log and views', () => {
    const keys: Record<string, string> = {}

    before(async () => {
      const { data: plans } = (await call('GET', '/api/v1/plans')).body
      for (const access of ['read', 'write']) {
        const body = { email: `${access}-looks@example.com`, access }
        const user = await data('POST', '/api/v1/users', { body })
        const issued = { user_id: user.id, plan_id: plans[0].id, access }
        keys[access] = (await data('POST', '/api/v1/keys', { body: issued })).key
      }
    })

    test('console §4: the overview counts what was answered, of the API and of the gateway', async () => {
      const sum = async (name: string) => {
        const { requests } = await data('GET', '/api/v1/overview')
        assert.equal(requests.length, 96)
        return requests.reduce(
          (total: number, point: Record<string, number>) => total + (point[name] ?? 0),
          0,
        )
      }
      const before = await sum('requests')
      for (let n = 0; n < 3; n++) await call('GET', '/api/v1/articles')
      // An answer is counted when its connection says so, a moment after the client has it.
      await untilSo(async () => (await sum('requests')) >= before + 3, 'three more requests')
      await fetch(`${server().url}/health`)
      const overview = await data('GET', '/api/v1/overview')
      assert.match(overview.version, /^\d/)
      assert.ok(overview.storage.total_bytes > 0 && overview.storage.free_bytes > 0)
      assert.ok(overview.storage.parts.database > 0)
      const [node] = overview.nodes
      assert.ok(node.is_this && node.memory_bytes > 1e6 && node.threads > 1)
      assert.deepEqual(node.roles.sort(), ['api', 'gateway', 'worker'])
    })

    test('console §4: nodes, log and backups are for admins, as are sums of everybody', async () => {
      const paths = [
        '/overview',
        '/nodes',
        '/overview/log',
        '/overview/log/stream',
        '/overview/backups',
        '/settings',
      ]
      for (const path of [...paths, '/usage/breakdown', '/usage/invoices', '/usage?scope=all']) {
        for (const access of ['read', 'write']) {
          const refused = await call('GET', `/api/v1${path}`, { key: keys[access] ?? '' })
          assert.equal(refused.status, 403, `${path} for ${access}`)
          assert.equal(refused.body.error.required, 'admin', path)
        }
      }
      const { data: nodes, meta } = (await call('GET', '/api/v1/nodes')).body
      assert.deepEqual([nodes.length, meta.total, nodes[0].is_this], [1, 1, true])
    })

    test('console §3: the last lines of the log, by level and part, and live within a second', async () => {
      const mark = `/api/v1/nothing-${Date.now()}`
      const stream = await fetch(`${server().url}/api/v1/overview/log/stream?level=info`, {
        headers: { 'x-api-key': ADMIN_KEY },
      })
      assert.equal(stream.status, 200)
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      assert.ok(reader)
      const startedMs = performance.now()
      await call('GET', mark)
      let text = ''
      while (!text.includes(mark)) text += (await reader.read()).value ?? assert.fail('ended')
      assertPrompt(performance.now() - startedMs, 3_000)
      await reader.cancel()
      const lines = await data('GET', `/api/v1/overview/log?q=${mark}&limit=5`)
      assert.ok(lines.length >= 1 && lines.length <= 5)
      assert.ok(lines.every((line: { time: string }) => !Number.isNaN(Date.parse(line.time))))
      const errors = await data('GET', '/api/v1/overview/log?level=error&limit=1000')
      assert.ok(errors.every(({ level }: { level: string }) => /error|fatal/.test(level)))
      assert.equal((await call('GET', '/api/v1/overview/log?limit=0')).status, 400)
      assert.equal((await call('GET', '/api/v1/overview/log?level=loud')).status, 400)
    })

    test('access 18: a stream of the log ends with the key or the level that it was opened with', async () => {
      const user = { email: 'follows-the-log@example.com', name: 'x', access: 'admin' }
      const { id: user_id } = await data('POST', '/api/v1/users', { body: user })
      const plan_id = (await call('GET', '/api/v1/plans')).body.data[0].id
      const body = { user_id, plan_id, access: 'admin' }
      const issue = () => data('POST', '/api/v1/keys', { body })
      const open = (key: string) =>
        fetch(`${server().url}/api/v1/overview/log/stream`, { headers: { 'x-api-key': key } })
      const [one, two] = [await issue(), await issue()]
      const [ofOne, ofTwo] = [await open(one.key), await open(two.key)]
      assert.deepEqual([ofOne.status, ofTwo.status], [200, 200])
      assert.equal((await call('DELETE', `/api/v1/keys/${one.id}`)).status, 204)
      await ofOne.text()
      const lowered = { body: { access: 'read' } }
      assert.equal((await call('PATCH', `/api/v1/keys/${two.id}`, lowered)).status, 200)
      await ofTwo.text()
    })

    test('console §3: a log that is moved aside ends nobody, and what follows goes on with the new one', async () => {
      const { dataDir } = server()
      const [name = ''] = readdirSync(join(dataDir, 'logs')).filter((each) => each.endsWith('.log'))
      const file = join(dataDir, 'logs', name)
      const aside = join(dataDir, 'logs', 'aside')
      const stream = await fetch(`${server().url}/api/v1/overview/log/stream`, {
        headers: { 'x-api-key': ADMIN_KEY },
      })
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      assert.ok(reader)
      renameSync(file, aside)
      assert.deepEqual(await data('GET', '/api/v1/overview/log'), [])
      // A few looks of the stream find nothing there.
      const lookedAtMs = performance.now()
      while (performance.now() - lookedAtMs < 1_200) await call('GET', '/api/v1/overview/log')
      const time = new Date().toISOString()
      writeFileSync(file, `${JSON.stringify({ level: 30, time, thread: 'main', msg: 'anew ☃' })}\n`)
      let text = ''
      while (!text.includes('anew ☃')) text += (await reader.read()).value ?? assert.fail('ended')
      await reader.cancel()
      renameSync(aside, file)
    })

    test('console §3: a backup is made, listed, downloaded and deleted', async () => {
      const names = async () =>
        (await call('GET', '/api/v1/overview/backups')).body.data.map(
          ({ name }: { name: string }) => name,
        )
      const earlier = new Set(await names())
      assert.equal((await call('POST', '/api/v1/overview/backups')).status, 202)
      let name = ''
      await untilSo(async () => {
        const { meta } = (await call('GET', '/api/v1/overview/backups')).body
        assert.equal(meta.failed_at, null)
        name = (await names()).find((each: string) => !earlier.has(each)) ?? ''
        return meta.running_since === null && name !== ''
      }, 'a backup')
      const file = await fetch(`${server().url}/api/v1/overview/backups/${name}`, {
        headers: { 'x-api-key': ADMIN_KEY },
      })
      const bytes = await file.arrayBuffer()
      assert.equal(bytes.byteLength, Number(file.headers.get('content-length')))
      assert.ok(bytes.byteLength > 1000)
      assert.match(file.headers.get('content-disposition') ?? '', /attachment; filename="entrepot-/)
      assert.equal((await call('GET', '/api/v1/overview/backups/..%2Fentrepot.db')).status, 404)
      assert.equal((await call('DELETE', `/api/v1/overview/backups/${name}`)).status, 204)
      assert.equal((await call('GET', `/api/v1/overview/backups/${name}`)).status, 404)
    })

    test('console §3: settings of all areas say what they mean and where they come from', async () => {
      const areas = await data('GET', '/api/v1/settings')
      const limits = areas.find(({ area }: { area: string }) => area === 'limits')
      const member = limits.members.find(
        ({ name }: { name: string }) => name === 'anonymous_per_minute',
      )
      assert.ok(member.summary.length > 10 && member.schema)
      assert.equal(member.origin, 'default')
    })

    test("console §4: views are their owner's unless shared; others see and cannot change them", async () => {
      const query = { filters: { title: { _contains: 'a' } }, columns: ['title'], sort: '-id' }
      const body = { area: 'content/articles', name: 'Mine', query }
      const own = await call('POST', '/api/v1/views', { body })
      assert.equal(own.status, 201)
      assert.deepEqual(own.body.data.query, query)
      const asWriter = { key: keys['write'] ?? '' }
      const path = `/api/v1/views/${own.body.data.id}`
      assert.equal((await call('GET', path, asWriter)).status, 404)
      assert.equal((await call('GET', '/api/v1/views', { key: keys['read'] ?? '' })).status, 403)

      const shared = await data('PATCH', path, { body: { shared: true, name: 'Ours' } })
      assert.deepEqual([shared.shared, shared.name, shared.area], [true, 'Ours', body.area])
      const listed = (await call('GET', '/api/v1/views?area=content/articles', asWriter)).body.data
      assert.deepEqual(
        listed.map(({ name }: { name: string }) => name),
        ['Ours'],
      )
      assert.equal((await call('PATCH', path, { ...asWriter, body: { name: 'x' } })).status, 403)
      assert.equal((await call('DELETE', path, asWriter)).status, 403)
      for (const wrong of [
        { ...body, name: '' },
        { ...body, area: undefined },
        { ...body, more: 1 },
        { ...body, query: [] },
        { ...body, query: { long: 'x'.repeat(11_000) } },
      ]) {
        assert.equal((await call('POST', '/api/v1/views', { body: wrong })).status, 400)
      }
      const theirs = await call('POST', '/api/v1/views', { ...asWriter, body })
      assert.equal((await call('GET', `/api/v1/views/${theirs.body.data.id}`)).status, 404)
      assert.equal((await call('DELETE', path)).status, 204)
      assert.equal((await call('GET', path)).status, 404)
    })

    test('console §4: a view keeps numbers that no double holds', async () => {
      const query = '{"id":9007199254740993,"more":[1e400,{"zero":-0.1234567890123456789}]}'
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${keys['write']}`,
      }
      const at = `${server().url}/api/v1/views`
      const send = (method: string, url: string, members: string) =>
        fetch(url, { method, headers, body: `{${members}}` })
      const made = await send('POST', at, `"area":"a","name":"n","query":${query}`)
      const text = await made.text()
      assert.ok(text.includes(`"query":${query}`), text)
      const path = `${at}/${JSON.parse(text).data.id}`
      assert.equal((await send('PATCH', path, '"name":"Other"')).status, 200)
      assert.ok((await (await fetch(path, { headers })).text()).includes(`"query":${query}`))
      assert.equal((await send('PATCH', path, '"query":1e400')).status, 400)
      assert.equal((await send('DELETE', path, '')).status, 204)
    })

    test('console §3: usage by key, user and plan and invoices as CSV add up to what was used', async () => {
      const key = keys['write'] ?? ''
      for (let n = 0; n < 4; n++) await call('GET', '/api/v1/articles', { key })
      const { user } = await data('GET', '/api/v1/me', { key })
      await untilSo(async () => {
        const rows = await data('GET', '/api/v1/usage/breakdown?by=user')
        const row = rows.find(({ id }: { id: number }) => id === user.id)
        return row?.requests >= 4 && row.name === user.email
      }, 'usage of the user')
      for (const by of ['key', 'plan']) {
        const rows = await data('GET', `/api/v1/usage/breakdown?by=${by}`)
        assert.ok(rows[0].requests > 0 && typeof rows[0].name === 'string', by)
      }
      assert.equal((await call('GET', '/api/v1/usage/breakdown?by=colour')).status, 400)
      const all = await data('GET', '/api/v1/usage/series?scope=all&interval=day')
      assert.ok(all.at(-1).requests >= 4)
      const invoices = await call('GET', '/api/v1/usage/invoices')
      const line = invoices.body.data.find((one: { user_id: number }) => one.user_id === user.id)
      assert.deepEqual([line.keys, line.user], [1, user.email])
      const csv = await fetch(`${server().url}/api/v1/usage/invoices?format=csv`, {
        headers: { 'x-api-key': ADMIN_KEY },
      })
      const text = await csv.text()
      assert.match(text, /^user_id,user,currency,keys,requests,total\r?\n/)
      assert.equal(text.trim().split('\n').length, invoices.body.data.length + 1)
      assert.equal((await call('GET', '/api/v1/usage/invoices?month=2999-01')).status, 400)
    })
  })
}

/** Until it is so; the kit's `until` waits for a value. */
function untilSo(isSo: () => Promise<boolean>, what: string): Promise<unknown> {
  return until(async () => (await isSo()) || undefined, { withinMs: 60_000, what })
}
