import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '#test-kit'
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
