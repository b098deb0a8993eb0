import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { readFileBytes, removeAbandoned, TABLES_OF_BYTES, writeFileBytes } from '#content-media'
import { type DatabaseKind, openTestDatabase, silentLog, temporaryDirectory } from '#test-kit'

const HASH = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'
const BYTES = new Map([
  [`${HASH}.bin`, randomBytes(700_000)],
  [`thumbnail_${HASH}.webp`, randomBytes(10)],
  [`${HASH.toLowerCase()}.txt`, Buffer.alloc(0)],
])

async function open(kind: DatabaseKind) {
  const { database: db, clock } = await openTestDatabase(kind)
  return { db, clock, log: silentLog, directory: temporaryDirectory(), cacheBytes: 1_000_000 }
}

async function allOf(installation: Awaited<ReturnType<typeof open>>) {
  const found = new Map<string, Buffer>()
  for await (const { name, sizeBytes, read } of readFileBytes(installation)) {
    const bytes = Buffer.concat(await Array.fromAsync(read()))
    assert.equal(bytes.length, sizeBytes, name)
    found.set(name, bytes)
  }
  return new Map([...found].sort())
}

/** In pieces of no regular size. */
async function* inPieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 99_991) yield bytes.subarray(at, at + 99_991)
}

test('operation 14: the bytes of all files go from one database to the other and back', async () => {
  const [one, other, back] = [await open('sqlite'), await open('postgres'), await open('sqlite')]
  for (const [name, bytes] of BYTES) await writeFileBytes(one, name, inPieces(bytes))
  const wanted = new Map([...BYTES].sort())
  assert.deepEqual(await allOf(one), wanted)
  for await (const { name, read } of readFileBytes(one)) await writeFileBytes(other, name, read())
  // Broken off and repeated: nothing changes.
  for await (const { name, read } of readFileBytes(one)) await writeFileBytes(other, name, read())
  assert.deepEqual(await allOf(other), wanted)
  const elsewhere = { ...other, directory: temporaryDirectory() }
  assert.deepEqual(await allOf(elsewhere), wanted, 'without the cache')
  for await (const { name, read } of readFileBytes(elsewhere)) {
    await writeFileBytes(back, name, read())
  }
  assert.deepEqual(await allOf(back), wanted)
  const names = readdirSync(back.directory).filter((name) => name[0] !== '.')
  assert.deepEqual(names.sort(), [...wanted.keys()])
  for (const table of TABLES_OF_BYTES) {
    const rows = await back.db.main.reader.selectFrom(table).selectAll().execute()
    assert.equal(rows.length, 0, table)
  }
  await assert.rejects(writeFileBytes(one, '../x.png', inPieces(Buffer.alloc(1))), /no name/)
})

test('operation 13: bytes that the cache loses between the look and the reading come from the database', async () => {
  const node = await open('postgres')
  for (const [name, bytes] of BYTES) await writeFileBytes(node, name, inPieces(bytes))
  for await (const { name, read } of readFileBytes(node)) {
    rmSync(join(node.directory, name))
    const bytes = Buffer.concat(await Array.fromAsync(read()))
    assert.ok(BYTES.get(name)?.equals(bytes), name)
  }
})

test('content-model 5: bytes that never became a file go after a day, others and newer ones stay', async () => {
  const node = await open('postgres')
  const { db, clock } = node
  const none = new AbortController().signal
  const used = `${HASH}.bin`
  await db.main.writer
    .insertInto('content_files')
    .values({
      ...{ uuid: '0195a8c2-7c1e-7b3a-9d44-1f6a2b90c001', folder: '/', name: 'a', name_fold: 'a' },
      ...{ hash: HASH, ext: '.bin', mime: 'application/octet-stream', size_bytes: 3 },
      ...{ provider: 'local', created_at: 1, updated_at: 1 },
    })
    .execute()
  const left = Array.from({ length: 120 }, (_, at) => `${String(at).padStart(32, 'x')}.bin`)
  for (const name of [used, `thumbnail_${HASH}.webp`, ...left]) {
    await writeFileBytes(node, name, inPieces(Buffer.from('abc')))
  }
  const names = async () => [...(await allOf(node)).keys()]
  await removeAbandoned(node, none)
  assert.equal((await names()).length, 122, 'an upload may still be under way')
  clock.setOffset(25 * 3_600_000)
  const fresh = `${'y'.repeat(32)}.bin`
  await writeFileBytes(node, fresh, inPieces(Buffer.from('abc')))
  await removeAbandoned(node, none)
  assert.deepEqual(await names(), [used, `thumbnail_${HASH}.webp`, fresh].sort())
  const chunks = await db.main.reader.selectFrom('content_file_chunks').select('name').execute()
  assert.equal(new Set(chunks.map(({ name }) => name)).size, 3)
})

test('operation 13: a deletion that is killed between its statements leaves nothing that the worker does not find', async () => {
  const node = await open('postgres')
  const { db, clock } = node
  const none = new AbortController().signal
  const namesIn = async (table: string) => {
    const rows = await db.main.reader.selectFrom(table).select('name').distinct().execute()
    return new Set<string>(rows.map(({ name }) => name))
  }
  for (const statements of [0, 1, 2]) {
    const name = `${String(statements).repeat(32)}.bin`
    await writeFileBytes(node, name, inPieces(randomBytes(600_000)))
    clock.setOffset((statements + 1) * 25 * 3_600_000)
    const main = { ...db.main, writer: db.main.writer.withPlugin(endingAfter(statements)) }
    await assert.rejects(removeAbandoned({ db: { ...db, main }, clock }, none), /killed/)
    assert.equal((await allOf(node)).has(name), statements === 0, 'whole or not there')
    const [chunks, rows] = await Promise.all(TABLES_OF_BYTES.map(namesIn).toReversed())
    assert.ok(chunks?.isSubsetOf(rows ?? new Set()), 'no chunk without its row')
    await removeAbandoned(node, none)
    for (const table of TABLES_OF_BYTES) assert.equal((await namesIn(table)).size, 0, table)
  }
})

/** Fails as a process that is killed would: so many statements are carried out and no more. */
function endingAfter(statements: number): KyselyPlugin {
  let begun = 0
  return {
    transformQuery({ node }) {
      if (begun++ >= statements) throw new Error('killed')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}
