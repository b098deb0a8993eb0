import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { OperatorError } from '../errors.ts'
import { random } from '../random.ts'
import { loadMasterKey } from './master-key.ts'

test('the first start makes a key file for its owner only, later starts read it', async (t) => {
  const dataDir = join(directory(t), 'data')
  const { current } = await loadMasterKey({ dataDir, random })
  assert.equal(current.length, 32)
  assert.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600)
  assert.deepEqual(await loadMasterKey({ dataDir, random }), { current })
})

test('many first starts at once end with one key and one file', async (t) => {
  const dataDir = directory(t)
  const starts = Array.from({ length: 30 }, () => loadMasterKey({ dataDir, random }))
  const keys = new Set((await Promise.all(starts)).map(({ current }) => current.toString('hex')))
  assert.equal(keys.size, 1)
  assert.deepEqual(readdirSync(dataDir), ['master.key'])
})

test('a given key wins and leaves no file', async (t) => {
  const dataDir = directory(t)
  const bytes = random.bytes(32)
  const texts = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
  for (const text of [...texts, bytes.toString('hex').toUpperCase(), ` ${texts[0]}\n`]) {
    const { current } = await loadMasterKey({ dataDir, fromEnvironment: text, random })
    assert.deepEqual(current, bytes)
  }
  assert.deepEqual(readdirSync(dataDir), [])
})

test('the previous key is read the same way', async (t) => {
  const [now, before] = [random.bytes(32), random.bytes(32)]
  const keys = await loadMasterKey({
    dataDir: directory(t),
    fromEnvironment: now.toString('hex'),
    previous: before.toString('base64'),
    random,
  })
  assert.deepEqual(keys, { current: now, previous: before })
})

test('a malformed key is refused and not repeated in the message', async (t) => {
  const dataDir = directory(t)
  for (const text of ['hunter2', 'x'.repeat(64), random.bytes(31).toString('base64'), '====']) {
    for (const given of [{ fromEnvironment: text }, { previous: text }]) {
      await assert.rejects(
        loadMasterKey({ dataDir, random, ...given }),
        (error) => error instanceof OperatorError && !error.message.includes(text),
      )
    }
  }
})

test('a key file that others may read, or that holds no key, is refused', async (t) => {
  const dataDir = directory(t)
  const path = join(dataDir, 'master.key')
  writeFileSync(path, random.bytes(32).toString('base64'))
  for (const mode of [0o644, 0o640, 0o604, 0o660]) {
    chmodSync(path, mode)
    await assert.rejects(loadMasterKey({ dataDir, random }), /chmod 600/)
  }
  chmodSync(path, 0o400)
  await loadMasterKey({ dataDir, random })
  for (const text of ['', 'hunter2', random.bytes(16).toString('base64')]) {
    rmSync(path)
    writeFileSync(path, text, { mode: 0o600 })
    await assert.rejects(loadMasterKey({ dataDir, random }), OperatorError)
  }
})

test('a data directory that cannot be used is told in one line', async (t) => {
  const file = join(directory(t), 'file')
  writeFileSync(file, '')
  await assert.rejects(loadMasterKey({ dataDir: file, random }), OperatorError)
  await assert.rejects(loadMasterKey({ dataDir: join(file, 'below'), random }), OperatorError)
})

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'entrepot-key-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}
