import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import {
  ADMIN_KEY,
  createCalls,
  installation,
  residentMib,
  runEntrepot,
  startServer,
  temporaryDirectory,
  testPostgres,
  until,
} from '#test-kit'

const ENTRIES = Number(process.env['ENTRIES'] ?? 100_000)
const KEYS = Number(process.env['KEYS'] ?? 1_000)
const RECORDS = Number(process.env['RECORDS'] ?? 1_000_000)
const FILES = Number(process.env['FILES'] ?? 500)
/** Pages are copied one after the other, so the size of a table does not show in it. */
const MOST_MIB = 450
const PROGRAM = fileURLToPath(new URL('../../bin/entrepot.mjs', import.meta.url))

test(`operation 14: ${ENTRIES} entries, ${KEYS} keys, ${RECORDS} usage records and ${FILES} files move and come back`, async (t) => {
  const env = await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const { url: postgresUrl } = await testPostgres()
  let server = await startServer(env)
  const calls = createCalls(() => server.url)
  const { call, ok, data } = calls
  await fill()
  const keys = await issueKeys()
  fillUsage()
  const filledAtMs = Date.now()
  server = await again(env)
  const before = await figures()

  const reading = readAllTheTime()
  const startedMs = performance.now()
  const to = ['move', '--to', postgresUrl]
  for (const share of [0.2, 0.7]) await killAt(to, share)
  const goneOnMs = performance.now()
  const moved = await moveMeasured(to, env)
  assert.equal(moved.code, 0, moved.output)
  const { reads, refused, ofFirst } = await reading.end()
  t.diagnostic(
    `to PostgreSQL in ${seconds(startedMs)} s with two kills, the last run ${seconds(goneOnMs)} s, holding at most ${moved.mostMib} MiB; ${reads} reads beside it`,
  )
  t.diagnostic(moved.output.replaceAll('\n', '; '))
  assert.equal(refused, 0, 'reads go on')
  assert.ok(reads > 0)
  const onPostgres = { ...env, ENTREPOT_DATABASE_URL: postgresUrl }
  server = await again(onPostgres)
  assert.deepEqual(await figures(), before)
  assert.equal(await monthOf(keys[0]?.key ?? ''), ofFirst, 'what was read meanwhile is counted')

  const backMs = performance.now()
  const back = await moveMeasured(['move', '--to', 'sqlite'], onPostgres)
  assert.equal(back.code, 0, back.output)
  t.diagnostic(`and back in ${seconds(backMs)} s, holding at most ${back.mostMib} MiB`)
  assert.ok(Math.max(moved.mostMib, back.mostMib) < MOST_MIB, `${moved.mostMib}, ${back.mostMib}`)
  server = await again(env)
  assert.deepEqual(await figures(), before)
  assert.equal(await monthOf(keys[0]?.key ?? ''), ofFirst)

  async function monthOf(key: string): Promise<number> {
    return (await data('GET', '/api/v1/usage', { key })).month
  }

  async function again(settings: Record<string, string>) {
    server.signal('SIGTERM')
    await server.exited()
    return startServer(settings)
  }

  async function fill() {
    const attributes = {
      title: { type: 'string' },
      text: { type: 'text' },
      rank: { type: 'integer' },
    }
    const body = { singularName: 'note', pluralName: 'notes', attributes }
    await ok('POST', '/api/v1/content-types', { body })
    const file = join(temporaryDirectory(), 'notes.ndjson')
    const line = (n: number) =>
      JSON.stringify({ title: `Note ${n}`, text: `Text of ${n} `.repeat(10), rank: n % 97 })
    writeFileSync(file, Array.from({ length: ENTRIES }, (_, n) => line(n)).join('\n'))
    const cli = { ENTREPOT_CLI_URL: server.url, ENTREPOT_CLI_KEY: ADMIN_KEY }
    const { code, output } = await runEntrepot(['import', 'notes', file], cli)
    assert.equal(code, 0, output)
    mkdirSync(join(server.dataDir, 'uploads'), { recursive: true })
    const form = new FormData()
    for (let n = 0; n < FILES; n++) {
      form.append('files', new File([randomBytes(2_000 + n)], `file-${n}.bin`))
      if (n % 20 !== 19 && n !== FILES - 1) continue
      await ok('POST', '/api/upload', { form })
      for (const name of [...form.keys()]) form.delete(name)
    }
  }

  async function issueKeys() {
    const made: { readonly id: number; readonly key: string }[] = []
    for (let n = 0; n < KEYS; n++) {
      made.push(await data('POST', '/api/v1/keys', { body: { name: `key ${n}`, plan_id: 1 } }))
    }
    return made
  }

  /** Written past the server, which is started again afterwards: through it, it would take an hour. */
  function fillUsage() {
    const nowMs = Date.now()
    const aux = new DatabaseSync(join(server.dataDir, 'usage.db'), { timeout: 60_000 })
    const record = aux.prepare(`insert into access_usage_records (record_id, api_key_id, endpoint,
      method, status_code, response_ms, created_at, counted, cost, request_id)
      values (?, ?, '/api/v1/notes', 'GET', 200, 3, ?, 1, 1, ?)`)
    aux.exec('begin immediate')
    for (let n = 0; n < RECORDS; n++) {
      record.run(`long-${n}`, keys[n % KEYS]?.id ?? 0, nowMs - n, `r${n}`)
    }
    aux.exec('commit')
    aux.close()
  }

  async function figures() {
    const notes = await ok('GET', '/api/v1/notes?per_page=3&sort=rank&order=desc')
    const media = await ok('GET', '/api/v1/media?per_page=100&sort=id')
    const bytes = createHash('sha256')
    for (const { url } of media.data) bytes.update(Buffer.from(await bytesOf(url)))
    const some = await Promise.all([1, 17, KEYS - 1].map((n) => recordsOf(keys[n]?.key ?? '')))
    return { notes, files: media.meta.total, bytes: bytes.digest('hex'), some }
  }

  async function bytesOf(path: string): Promise<ArrayBuffer> {
    const answer = await fetch(new URL(path, server.url))
    assert.equal(answer.status, 200, path)
    return answer.arrayBuffer()
  }

  /** Of before the move: what is read meanwhile is counted apart. */
  async function recordsOf(key: string): Promise<unknown> {
    const query = `to=${encodeURIComponent(new Date(filledAtMs).toISOString())}`
    return ok('GET', `/api/v1/usage/records?limit=5&${query}`, { key })
  }

  function readAllTheTime() {
    let isOver = false
    let [reads, refused, ofFirst] = [0, 0, 0]
    const done = (async () => {
      for (let n = 0; !isOver; n++) {
        const { status } = await call('GET', `/api/v1/notes/${(n % ENTRIES) + 1}`, {
          key: keys[n % KEYS]?.key ?? '',
        })
        reads++
        if (n % KEYS === 0) ofFirst++
        if (status !== 200) refused++
        await delay(5)
      }
    })()
    return {
      async end() {
        isOver = true
        await done
        return { reads, refused, ofFirst }
      },
    }
  }

  /** Kills it when this share of the usage records is there. */
  async function killAt(args: readonly string[], share: number) {
    const child = launch(args, env)
    const ended = once(child, 'exit')
    const client = new pg.Client({ connectionString: postgresUrl })
    await client.connect()
    await until(
      async () => {
        const { rows } = await client
          .query(`select row_count from kernel_move_tables where name = 'access_usage_records'`)
          .catch(() => ({ rows: [] }))
        return Number(rows[0]?.row_count ?? 0) > share * RECORDS || undefined
      },
      { withinMs: 600_000, what: 'so many rows' },
    )
    await client.end()
    child.kill('SIGKILL')
    const [, signal] = await ended
    assert.equal(signal, 'SIGKILL', 'it was under way')
  }
})

function launch(args: readonly string[], env: Record<string, string>) {
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** With the most memory it was seen to hold. */
async function moveMeasured(args: readonly string[], env: Record<string, string>) {
  const child = launch(args, env)
  let [output, mostMib] = ['', 0]
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const looking = setInterval(() => {
    // Not a number once the process has ended, which is told a moment later.
    const mib = child.exitCode === null ? residentMib(child.pid ?? 0) : 0
    if (mib > mostMib) mostMib = mib
  }, 100)
  const [code] = await once(child, 'close')
  clearInterval(looking)
  return { code, output, mostMib }
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1)
}
