import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import sharp from 'sharp'
import {
  ADMIN_KEY,
  runEntrepot,
  startPair,
  type TestServer,
  temporaryDirectory,
  until,
} from '#test-kit'

const headers = { 'x-api-key': ADMIN_KEY }
const CACHE_BYTES = 3_000_000
const BACKUP_EVERY_SECONDS = 10
const backups = temporaryDirectory()

interface Shown {
  readonly id: number
  readonly url: string
}

const [one, other] = await startPair({
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_MEDIA_CACHE_BYTES: String(CACHE_BYTES),
  ENTREPOT_BACKUP_SCHEDULE: `*/${BACKUP_EVERY_SECONDS} * * * * *`,
  ENTREPOT_BACKUP_KEEP: '100',
  ENTREPOT_BACKUP_DIRECTORY: backups,
})
const client = new pg.Client({ connectionString: one.env['ENTREPOT_DATABASE_URL'] })
await client.connect()
after(() => client.end())

async function upload(node: TestServer, bytes: Buffer): Promise<Shown> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'data.bin')
  const sent = { method: 'POST', body: form, headers }
  const answer = await fetch(`${node.url}/api/v1/media`, sent)
  assert.equal(answer.status, 201)
  return JSON.parse(await answer.text()).data
}

async function read(node: TestServer, url: string, range?: string) {
  const answer = await fetch(`${node.url}${url}`, { headers: range ? { range } : {} })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, bytes, etag: answer.headers.get('etag') }
}

const directoryOf = (node: TestServer) => join(node.dataDir, 'uploads')
const cachedBy = (node: TestServer, url: string) =>
  existsSync(join(directoryOf(node), url.replace('/uploads/', '')))
const chunksOf = async (url: string) => {
  const name = url.replace('/uploads/', '')
  const of = 'select count(*)::int as n from content_file_chunks where name = $1'
  return (await client.query(of, [name])).rows[0].n
}

test('operation 13: a file uploaded at one node is served by the other, whole and in ranges', async () => {
  const bytes = randomBytes(1_200_000)
  const { id, url } = await upload(one, bytes)
  assert.equal(await chunksOf(url), 5)
  const part = await read(other, url, 'bytes=262140-786440')
  assert.equal(part.status, 206)
  assert.ok(part.bytes.equals(bytes.subarray(262_140, 786_441)))
  const whole = await read(other, url)
  assert.ok(whole.bytes.equals(bytes))
  await until(async () => cachedBy(other, url) || undefined)
  const cached = await read(other, url)
  assert.ok(cached.bytes.equals(bytes))
  assert.equal(cached.etag, (await read(one, url)).etag)
  assert.ok((await read(other, url, 'bytes=-10')).bytes.equals(bytes.subarray(-10)))
  assert.equal((await read(other, url, 'bytes=1200000-')).status, 416)

  // Deleted at one node it is gone at the other, cached or not, and from the database.
  await fetch(`${one.url}/api/v1/media/${id}`, { method: 'DELETE', headers })
  assert.equal((await read(other, url)).status, 404)
  assert.equal((await read(one, url)).status, 404)
  assert.equal(await chunksOf(url), 0)
  assert.equal(cachedBy(other, url), false)
})

test('operation 13: files that are uploaded at once keep their own bytes, whatever their length', async () => {
  const lengths = [1_048_576, 2_600_000, 300_000, 300_001, 262_144, 3_145_728, 20_000, 1]
  const files = lengths.map((length) => randomBytes(length))
  const uploaded = await Promise.all(files.map((bytes) => upload(one, bytes)))
  for (const [at, { url }] of uploaded.entries()) {
    const { bytes } = await read(other, url)
    assert.ok(files[at]?.equals(bytes), `${lengths[at]} bytes`)
  }
})

test('operation 13: the cache stays below its size and loses nothing', async () => {
  const files: { url: string; bytes: Buffer }[] = []
  for (let n = 0; n < 6; n++) {
    const bytes = randomBytes(1_000_000)
    files.push({ bytes, url: (await upload(one, bytes)).url })
  }
  const names = readdirSync(directoryOf(one)).filter((name) => name[0] !== '.')
  assert.ok(names.length <= 3, names.join())
  for (const { url, bytes } of files) assert.ok((await read(one, url)).bytes.equals(bytes))
  const empty = await upload(one, Buffer.alloc(0))
  assert.deepEqual((await read(other, empty.url)).bytes, Buffer.alloc(0))
})

test('cms-rest 15: each picture gets its formats once, from whichever node, and all nodes serve them', async () => {
  const picture = sharp({ create: { width: 600, height: 400, channels: 3, background: 'teal' } })
  const bytes = await picture.jpeg().toBuffer()
  const files = await Promise.all(Array.from({ length: 10 }, () => upload(one, bytes)))
  for (const { id } of files) {
    const path = `${other.url}/api/v1/media/${id}`
    const { thumbnail } = await until(async () => {
      const answer = await fetch(path, { headers })
      return JSON.parse(await answer.text()).data.formats ?? undefined
    })
    for (const node of [one, other]) {
      assert.equal((await read(node, thumbnail.url)).bytes.length, thumbnail.sizeInBytes)
    }
  }
  const made = () => {
    const lines = [one, other].flatMap((node) => node.log().split('\n'))
    return lines.filter((line) => line.includes('got its formats')).length
  }
  await until(async () => made() >= files.length)
  assert.equal(made(), files.length)
})

test('operation 14: of two nodes with one schedule one makes each backup', async () => {
  const due = { withinMs: 60_000, what: 'two backups' }
  const made = await until(() => (backupTimes().length >= 2 ? backupTimes() : undefined), due)
  const ticks = made.map((atMs) => Math.floor(atMs / 1000 / BACKUP_EVERY_SECONDS))
  assert.equal(new Set(ticks).size, ticks.length, 'one for each tick')
  const told = () => [one, other].map((node) => node.log().split('a backup was made').length - 1)
  await until(() => Math.max(...told()) >= made.length || undefined, { what: 'their lines' })
  assert.equal(Math.min(...told()), 0, 'the other one made none')
})

/** By their names. */
function backupTimes(): number[] {
  return readdirSync(backups)
    .filter((name) => name.endsWith('.entrepot'))
    .map((name) => name.replace(/^.*-(....)(..)(..)T(..)(..)(..)Z.*$/, '$1-$2-$3T$4:$5:$6Z'))
    .map((time) => Date.parse(time))
}

test('operation 14: a backup says which files lie in the directory of another node', async () => {
  const bytes = randomBytes(1_000)
  const { id, url } = await upload(one, bytes)
  const name = url.replace('/uploads/', '')
  await client.query('delete from content_file_bytes where name = $1', [name])
  await client.query('delete from content_file_chunks where name = $1', [name])
  writeFileSync(join(directoryOf(one), name), bytes)
  rmSync(join(directoryOf(other), name), { force: true })
  const directory = temporaryDirectory()
  const there = await runEntrepot(['backup', join(directory, 'one.entrepot')], one.env)
  assert.equal(there.code, 0)
  assert.doesNotMatch(there.output, /not in it/)
  const elsewhere = await runEntrepot(['backup', join(directory, 'other.entrepot')], other.env)
  assert.equal(elsewhere.code, 0)
  assert.match(elsewhere.output, new RegExp(`1 file is not in it, such as ${name}`))
  assert.match(elsewhere.output, /Start the node whose data directory has them/)

  const before = backupTimes().length
  await fetch(`${other.url}/api/v1/overview/backups`, { method: 'POST', headers })
  await until(() => backupTimes().length > before || undefined, { what: 'a backup' })
  await until(
    async () => {
      const answer = await fetch(`${other.url}/api/v1/overview/backups`, { headers })
      return JSON.parse(await answer.text()).meta.missing_files === 1 || undefined
    },
    { withinMs: 30_000, what: 'what the backup lacks' },
  )
  // The log is written a little later than what it tells of.
  const isTold = () => other.log().includes('a backup lacks files that lie elsewhere') || undefined
  await until(isTold, { what: 'its line' })

  const restored = await restoreElsewhere(join(directory, 'other.entrepot'))
  assert.match(restored, new RegExp(`1 file is not in it, such as ${name}`))
  assert.match(restored, /Copy them into "uploads"/)
  await fetch(`${one.url}/api/v1/media/${id}`, { method: 'DELETE', headers })
})

/** What a restore of the file into an empty directory prints. */
async function restoreElsewhere(file: string): Promise<string> {
  const { ENTREPOT_DATABASE_URL: _postgres, ...env } = other.env
  const into = { ...env, ENTREPOT_DATA_DIR: temporaryDirectory() }
  const { code, output } = await runEntrepot(['restore', file], into)
  assert.equal(code, 0, output)
  return output
}

test('operation 13: files of an older installation are taken in; all are served after a node is killed', async () => {
  const bytes = randomBytes(300_000)
  const { url } = await upload(one, bytes)
  const name = url.replace('/uploads/', '')
  // As version 0.1 left it: only in the directory of one node.
  await client.query('delete from content_file_bytes where name = $1', [name])
  await client.query('delete from content_file_chunks where name = $1', [name])
  mkdirSync(directoryOf(one), { recursive: true })
  writeFileSync(join(directoryOf(one), name), bytes)
  rmSync(join(directoryOf(other), name), { force: true })
  assert.ok((await read(one, url)).bytes.equals(bytes), 'served before')
  assert.equal((await read(other, url)).status, 404)
  const backup = join(temporaryDirectory(), 'before.entrepot')
  assert.equal((await runEntrepot(['backup', backup], one.env)).code, 0)
  const plain = zstdDecompressSync(readFileSync(backup)).toString()
  assert.ok(plain.includes(`\n${JSON.stringify({ file: name })}\n`), 'a backup has it before')
  one.signal('SIGTERM')
  await one.restart()
  await until(async () => (await read(other, url)).status === 200 || undefined)
  assert.equal(await chunksOf(url), 2)
  await one.kill()
  assert.ok((await read(other, url)).bytes.equals(bytes))
  assert.ok((await read(other, url, 'bytes=5-9')).bytes.equals(bytes.subarray(5, 10)))
})
