import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const RUNNER = fileURLToPath(import.meta.resolve('./run-in-order.ts'))
const MANY = `import { test } from 'node:test'
for (let n = 0; n < 2000; n++) test('number ' + n + ' ${'-'.repeat(400)}', () => {})
setInterval(() => {}, 1000)
`
const CUT = `import { test } from 'node:test'
test('first', () => {})
test('second', () => process.exit(0))
test('third', () => {})
`

describe('the runner of test files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'runner-'))
  before(() => {
    writeFileSync(join(directory, 'many.test.mjs'), MANY)
    writeFileSync(join(directory, 'cut.test.mjs'), CUT)
  })
  after(() => rmSync(directory, { recursive: true }))

  test('no report of a process that is ended is lost', () => {
    const { status, stdout } = runFiles('many.test.mjs')
    assert.equal(status, 0)
    assert.match(stdout, /tests 2000\n/)
  })

  test('a file that ends in the middle of its tests fails the run', () => {
    const { status, stderr } = runFiles('cut.test.mjs')
    assert.equal(status, 1)
    assert.match(stderr, /cut\.test\.mjs ended before it had reported all of its tests/)
  })

  function runFiles(...names: readonly string[]) {
    const files = names.map((name) => join(directory, name))
    // A runner inside a test would report to the outer runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return spawnSync(process.execPath, [RUNNER, '1', '60000', ...files], { encoding: 'utf8', env })
  }
})
