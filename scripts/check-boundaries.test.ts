import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkBoundaries } from './check-boundaries.ts'

const PACKAGE = {
  imports: {
    '#kernel': './src/kernel/index.ts',
    '#db': './src/kernel/db/index.ts',
    '#jobs': './src/kernel/jobs/index.ts',
    '#content': './src/content/index.ts',
    '#gateway-thread': './src/gateway/thread.ts',
    '#test-kit': './test/kit/index.ts',
  },
}

/** A project without a fault; each test adds the file it is about. */
const SOUND: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(PACKAGE),
  'src/kernel/index.ts': `export const one = 1\n`,
  'src/kernel/db/index.ts': `export const two = 2\n`,
  'src/kernel/jobs/index.ts': `export const three = 3\n`,
  'src/interfaces/cms/query/sort.ts': `import { two } from '#db'\n`,
  'src/content/index.ts': `import { one } from '#kernel'\nexport { two } from './store.ts'\n`,
  'src/content/store.ts': `export const two = 2\n`,
  'src/gateway/thread.ts': `import { one } from '#kernel'\n`,
  'src/gateway/start.ts': `const entry = import.meta.resolve('#gateway-thread')\n`,
  'src/app.ts': `import { two } from '#content'\nimport './config.ts'\n`,
  'src/server.ts': `import './app.ts'\n`,
  'src/config.ts': `import './config/parse.ts'\nconst env = process.env\n`,
  'src/config/parse.ts': `import { one } from '#kernel'\n`,
  'test/kit/index.ts': `import { one } from '#kernel'\nconst env = process.env\n`,
  'test/contract/a.test.ts': `import '#test-kit'\nimport '../../src/app.ts'\n`,
  'src/content/store.test.ts': `import '#test-kit'\nconst x = {} as unknown\n`,
}

test('this project keeps its own rules', () => {
  assert.deepEqual(checkBoundaries(fileURLToPath(new URL('..', import.meta.url))), [])
})

test('a sound project has no findings', (t) => {
  assert.deepEqual(findings(t, {}), [])
})

describe('refused', () => {
  const cases: [what: string, file: string, source: string, finding: string][] = [
    [
      "another module's inside by relative path",
      'src/scrapers/run.ts',
      `\nimport { two } from '../content/store.ts'\n`,
      'src/scrapers/run.ts:2: "../content/store.ts" reaches into the module content; use its door #content',
    ],
    [
      'the same for types only, exports and later loading',
      'src/scrapers/run.ts',
      `export type { Two } from '../content/store.ts'`,
      'src/scrapers/run.ts:1: "../content/store.ts" reaches into the module content; use its door #content',
    ],
    [
      "a thread of another module's file",
      'src/scrapers/run.ts',
      `new Worker(new URL('../kernel/thread.ts', import.meta.url))`,
      'src/scrapers/run.ts:1: "../kernel/thread.ts" reaches into the module kernel; use its door #kernel',
    ],
    [
      'a module that is not in its row of the table',
      'src/webhooks/dispatch.ts',
      `const content = await import('#content')`,
      'src/webhooks/dispatch.ts:1: webhooks may not import content; declare what it needs in its deps and let app.ts pass it',
    ],
    [
      'anything of ours in the kernel',
      'src/kernel/ids.ts',
      `import { two } from '#content'`,
      'src/kernel/ids.ts:1: kernel may not import content; declare what it needs in its deps and let app.ts pass it',
    ],
    [
      'one dialect in another',
      'src/interfaces/cms/read.ts',
      `import '../jsonapi/read.ts'`,
      'src/interfaces/cms/read.ts:1: interfaces/cms may not import interfaces/jsonapi; declare what it needs in its deps and let app.ts pass it',
    ],
    [
      'app.ts in a module',
      'src/cli/start.ts',
      `import '../app.ts'`,
      'src/cli/start.ts:1: cli may not import app; declare what it needs in its deps and let app.ts pass it',
    ],
    [
      'a door that package.json does not have',
      'src/scrapers/run.ts',
      `import '#content/store'`,
      'src/scrapers/run.ts:1: there is no door #content/store in package.json',
    ],
    [
      "a module's own door",
      'src/content/entries.ts',
      `import { two } from '#content'`,
      "src/content/entries.ts:1: #content is this module's own door; use a relative path",
    ],
    [
      'the test kit in a program',
      'src/content/entries.ts',
      `import '#test-kit'`,
      'src/content/entries.ts:1: content may not import test; declare what it needs in its deps and let app.ts pass it',
    ],
    [
      'the inside of a module in a test of contracts',
      'test/contract/b.test.ts',
      `import '../../src/content/store.ts'`,
      'test/contract/b.test.ts:1: "../../src/content/store.ts" reaches into the module content; use its door #content',
    ],
    [
      'files outside the modules',
      'src/content/entries.ts',
      `import '../../scripts/tool.ts'`,
      'src/content/entries.ts:1: "../../scripts/tool.ts" leaves the module content',
    ],
    [
      'a folder that the table does not know',
      'src/utils/text.ts',
      '',
      'src/utils/text.ts:1: the module utils is not in scripts/boundaries/modules.ts',
    ],
    [
      'a door of the kernel that is not open to the module',
      'src/interfaces/cms/read.ts',
      `import { three } from '#jobs'`,
      'src/interfaces/cms/read.ts:1: #jobs is not open to interfaces/cms; see KERNEL_DOORS in scripts/boundaries/modules.ts',
    ],
    [
      'a door with more names than a reader keeps in mind',
      'src/kernel/db/index.ts',
      `export { ${Array.from({ length: 45 }, (_, at) => `a${at}`).join(', ')} } from './a.ts'\nexport type B = 1\n`,
      'src/kernel/db/index.ts:1: the door #db shows 46 names, more than 45',
    ],
    [
      'a file of one dialect that no other has',
      'src/interfaces/cms/wishes.ts',
      '',
      'src/interfaces/cms/wishes.ts:1: cms has a file that no other dialect has; it belongs into index, deps, request, target, routes, schema, read, write, errors, query/, body/, render/',
    ],
    [
      'a file where every dialect has a folder',
      'src/interfaces/cms/render.ts',
      '',
      'src/interfaces/cms/render.ts:1: cms has a file that no other dialect has; it belongs into index, deps, request, target, routes, schema, read, write, errors, query/, body/, render/',
    ],
    [
      'the environment outside the configuration',
      'src/content/entries.ts',
      `// process.env\nconst home = process.env['HOME']`,
      'src/content/entries.ts:2: process.env is read in src/config.ts only',
    ],
    [
      "Node's HTTP by its namespace, which loads more than is used",
      'src/content/entries.ts',
      `import type { IncomingMessage } from 'node:http'\nimport { request } from 'node:http'`,
      'src/content/entries.ts:2: an import of node:http loads undici; take it from nodeHttp()',
    ],
    [
      'a cast',
      'src/content/entries.ts',
      `import { a as b } from 'c'\nconst x = b() as string`,
      'src/content/entries.ts:2: a cast outside kernel/db; check the value instead',
    ],
  ]
  for (const [what, file, source, finding] of cases) {
    test(what, (t) => {
      assert.deepEqual(findings(t, { [file]: source }), [finding])
    })
  }

  test('a door that leads nowhere and a door to a whole folder', (t) => {
    const imports = { ...PACKAGE.imports, '#lost': './src/lost.ts', '#any/*': './src/*' }
    assert.deepEqual(findings(t, { 'package.json': JSON.stringify({ imports }) }), [
      'package.json: the door #lost leads to no file',
      'package.json: the door #any/* opens a whole folder',
    ])
  })
})

test('what only looks like an import or a cast is left alone', (t) => {
  const source = [
    `// import '../webhooks/x.ts'`,
    `const text = 'process.env is read elsewhere'`,
    'const query = sql`cast(x as integer)`',
    `const kinds = ['a', 'b'] as const`,
    `const file = new URL('../../package.json', import.meta.url)`,
    `import * as all from 'package'`,
    `export { one as uno } from './store.ts'`,
  ]
  assert.deepEqual(findings(t, { 'src/content/entries.ts': source.join('\n') }), [])
})

function findings(t: TestContext, files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'entrepot-boundaries-'))
  t.after(() => rmSync(root, { recursive: true }))
  for (const [file, source] of Object.entries({ ...SOUND, ...files })) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), source)
  }
  return checkBoundaries(root)
}
