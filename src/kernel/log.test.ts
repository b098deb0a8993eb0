import assert from 'node:assert/strict'
import fs, { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory, until } from '#test-kit'
import { openLog } from './log.ts'

test('what is logged while a write is under way is in the file when the log is closed', async () => {
  const dataDir = temporaryDirectory()
  const { log, requests, close } = openLog({ to: 'file', level: 'info', dataDir }, 'main')
  // More than is gathered, so that it is on its way at once.
  log.info({ long: 'x'.repeat(100_000) }, 'first')
  log.info('second')
  requests.write('', 'third')
  await close()
  const lines = readFileSync(join(dataDir, 'logs', 'entrepot.log'), 'utf8')
    .trimEnd()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['first', 'second', 'third'],
  )
  log.info('too late')
})

test('a line is soon in the file, also one that came while another was written', async () => {
  const dataDir = temporaryDirectory()
  const { log, close } = openLog({ to: 'file', level: 'info', dataDir }, 'main')
  const text = () => textOf(dataDir)
  log.info('first')
  await until(() => text().includes('first'))
  log.info({ long: 'x'.repeat(100_000) }, 'second')
  log.info('third')
  await until(() => text().includes('third'))
  await close()
})

test('a line does not wait for the next one when it came during a write that takes long', async (t) => {
  const dataDir = temporaryDirectory()
  const { log, close } = openLog({ to: 'file', level: 'info', dataDir }, 'main')
  const text = () => textOf(dataDir)
  log.info('before')
  await until(() => text().includes('before'))
  const { write } = fs
  const slow = Promise.withResolvers<void>()
  // A disk that takes its time; longer than the moment after which lines are to be written.
  t.mock.method(fs, 'write', (...given: Parameters<typeof write>) => {
    slow.resolve()
    setTimeout(() => write(...given), 400)
  })
  log.info('first')
  await slow.promise
  log.info('second')
  await until(() => text().includes('second'), { withinMs: 10_000 })
  t.mock.restoreAll()
  await close()
})

test('a log that cannot be written stops neither the one who logs nor the end, and is told once', async (t) => {
  const told: string[] = []
  t.mock.method(process.stderr, 'write', (text: string) => told.push(text) > 0)
  const dataDir = temporaryDirectory()
  mkdirSync(join(dataDir, 'logs'))
  symlinkSync('/dev/full', join(dataDir, 'logs', 'entrepot.log'))
  const { log, close } = openLog({ to: 'file', level: 'info', dataDir }, 'main')
  // Many times what may wait.
  for (let n = 0; n < 100; n++) log.info({ long: 'x'.repeat(1_000_000) }, 'lost')
  await until(() => told.length > 0)
  log.info('lost too')
  await close()
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /the log cannot be written: ENOSPC/)
})

/** Empty until the file is there: it is opened beside what is logged. */
function textOf(dataDir: string): string {
  const file = join(dataDir, 'logs', 'entrepot.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
