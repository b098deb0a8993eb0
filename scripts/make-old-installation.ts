// Makes the fixture of test/contract/operation/upgrade.test.ts: the data directory of an older version with what it
// answered, in one file.
//   npm test -- scripts/make-old-installation.ts          (needs the history of the repository)
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import {
  ADMIN_KEY,
  createCalls,
  installation,
  startServer,
  temporaryDirectory,
  until,
} from '#test-kit'
import { fillOld, recordOld } from '../test/contract/operation/old-installation.ts'

/** Version 0.1 was not tagged: the last commit before what its changelog calls 0.2. */
const COMMIT = '30d2f97'
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FIXTURE = join(ROOT, 'test/contract/operation/version-0.1.json.gz')
const LEFT_OUT = /^(logs|entrepot\.(lock|pid)|.*-shm$|.*\.sock$)/

test('the data directory of version 0.1', async () => {
  const checkout = temporaryDirectory()
  const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', checkout], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const env = await installation('sqlite', { ENTREPOT_ADMIN_KEY: ADMIN_KEY })
  const server = await startServer(env, { root: checkout })
  const calls = createCalls(() => server.url)
  const { key } = await fillOld(calls)
  const recorded = await recordOld(calls, key)
  // What was used is in the database, and not in a journal.
  await until(async () => (await calls.data('GET', '/api/v1/usage', { key }))?.month !== undefined)
  server.signal('SIGTERM')
  await server.exited()
  const files: Record<string, string> = {}
  for (const path of filesIn(server.dataDir)) {
    files[path] = readFileSync(join(server.dataDir, path)).toString('base64')
  }
  mkdirSync(join(FIXTURE, '..'), { recursive: true })
  const port = env['ENTREPOT_PORT']
  writeFileSync(FIXTURE, gzipSync(JSON.stringify({ commit: COMMIT, port, key, files, recorded })))
})

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !LEFT_OUT.test(path))
    .sort()
}
