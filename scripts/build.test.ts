import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { buildIfStale, isBuilt } from './build.mjs'

const root = mkdtempSync(join(tmpdir(), 'build-'))
after(() => rmSync(root, { recursive: true }))
for (const [path, text] of Object.entries({
  'package.json': JSON.stringify({
    version: '1.2.3',
    type: 'module',
    imports: {
      '#cli': './src/cli.ts',
      '#worker-thread': './src/deep/in/worker.ts',
      '#crawler-thread': './src/crawler.ts',
      '#content-pictures-process': './src/pictures.ts',
      '#scrapers-preview-thread': './src/preview.ts',
      '#gateway-thread': './src/gateway.ts',
      '#gateway-script-thread': './src/script.ts',
      '#sqlite-thread': './src/sqlite.ts',
      '#docs-thread': './src/docs.ts',
      '#yaml-thread': './src/yaml.ts',
    },
  }),
  'src/cli.ts': `import { shared } from './shared.ts'
    export const worker: string = import.meta.resolve('#worker-thread')
    export const answer: number = shared()`,
  'src/shared.ts': 'export const shared = (): number => 1',
  'src/deep/in/worker.ts': `import { shared } from '../../shared.ts'
    export const answer: number = shared() + 10`,
  'src/crawler.ts': '',
  'src/pictures.ts': '',
  'src/preview.ts': '',
  'src/gateway.ts': '',
  'src/script.ts': '',
  'src/sqlite.ts': '',
  'src/docs.ts': '',
  'src/yaml.ts': '',
  'src/recorded-examples/one.json': '{}',
  'migrations/0001_a.ts': 'export const up = () => 7',
})) {
  write(path, text)
}

test('what is built runs, finds its threads and its migrations', async () => {
  assert.equal(isBuilt(root), false)
  await buildIfStale(root)
  assert.equal(isBuilt(root), true)
  const cli = await import(join(root, 'dist/src/cli.js'))
  assert.equal(cli.answer, 1)
  assert.equal((await import(cli.worker)).answer, 11)
  assert.equal((await import(join(root, 'dist/migrations/0001_a.js'))).up(), 7)
})

test('a file that is changed, added, removed or put back to an older one makes the build stale', async () => {
  const changes = [
    () => write('src/shared.ts', 'export const shared = (): number => 2'),
    () => write('src/more.ts', ''),
    () => rmSync(join(root, 'src/more.ts')),
    () => utimesSync(join(root, 'src/shared.ts'), 1, 1),
    () => write('migrations/0002_b.ts', 'export const up = () => 8'),
  ]
  for (const change of changes) {
    change()
    assert.equal(isBuilt(root), false)
    await buildIfStale(root)
    assert.equal(isBuilt(root), true)
  }
  assert.equal((await import(`${join(root, 'dist/src/cli.js')}?again`)).answer, 2)
})

test('a test beside the code does not', () => {
  write('src/shared.test.ts', '')
  assert.equal(isBuilt(root), true)
})

test('sources that cannot be built leave the last build as it is, and stale', async () => {
  write('src/shared.ts', 'export const shared = (')
  await assert.rejects(buildIfStale(root))
  assert.equal(isBuilt(root), false)
  assert.equal((await import(`${join(root, 'dist/src/cli.js')}?still`)).answer, 2)
})

test('where there are no sources, as in the package of npm, what is built is what runs', () => {
  renameSync(join(root, 'src'), join(root, 'away'))
  assert.equal(isBuilt(root), true)
  rmSync(join(root, 'dist/built-from'))
  assert.equal(isBuilt(root), false)
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
