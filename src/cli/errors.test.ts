import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { invalid, OperatorError } from '#kernel'
import { report } from './errors.ts'
import { UsageError } from './usage-error.ts'

test('a fault the operator can mend is its own message', async () => {
  assert.deepEqual(await said(new OperatorError('Port 8080 is taken')), {
    code: 1,
    text: 'entrepot: Port 8080 is taken',
  })
})

test('a refusal lists all its issues', async () => {
  const issues = [
    { path: ['name'], rule: 'required', message: 'is missing' },
    { path: ['rates', 0], rule: 'type', message: 'must be an integer' },
  ]
  const { text } = await said(invalid(issues))
  assert.match(text, /\n {2}name: is missing\n {2}rates\.0: must be an integer$/)
})

test('wrong use has an exit code of its own', async () => {
  assert.equal((await said(new UsageError('x'))).code, 2)
})

test('a fault of ours is one line; its stack lies in a file only the user can read', async (t) => {
  const { code, text } = await said(new Error('lost the plot\nsecond line'))
  const [, path = ''] =
    /^entrepot: unexpected error: lost the plot \(details: (.+)\)$/.exec(text) ?? []
  t.after(() => rmSync(dirname(path), { recursive: true }))
  assert.equal(code, 1)
  assert.match(readFileSync(path, 'utf8'), /second line[\s\S]+ at /)
  assert.equal(statSync(path).mode & 0o077, 0)
})

test('a full disk is no fault of ours, and what to do about it is said', async () => {
  const ofSqlite = [13, 4874].map((errcode) => ({ code: 'ERR_SQLITE_ERROR', errcode }))
  for (const fault of [{ code: 'ENOSPC' }, ...ofSqlite]) {
    const { code, text } = await said(Object.assign(new Error('no space'), fault))
    assert.equal(code, 1)
    assert.match(text, /^entrepot: There is no space left on the disk\. Free some/)
  }
})

test('with debug any error shows where it arose', async () => {
  const { text } = await said(
    new OperatorError('Port 8080 is taken', new Error('EADDRINUSE')),
    true,
  )
  assert.match(text, /Port 8080 is taken[\s\S]+ at [\s\S]+EADDRINUSE/)
})

async function said(error: unknown, debug = false) {
  const lines: string[] = []
  const output = { out: () => assert.fail('errors go to standard error'), err }
  const code = await report(error, { output, debug })
  return { code, text: lines.join('\n') }

  function err(line: string) {
    lines.push(line)
  }
}
