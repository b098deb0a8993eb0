import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReferences } from './references.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

test('references stand for variables and files; what is missing, ours or outside is a fault', (t) => {
  const secretsDir = mkdtempSync(join(tmpdir(), 'references-'))
  t.after(() => rmSync(secretsDir, { recursive: true }))
  writeFileSync(join(secretsDir, 'token'), 'from a file\n')
  const environment = (name: string) =>
    new Map([
      ['TOKEN', 'from outside'],
      ['ENTREPOT_MASTER_KEY', 'x'],
    ]).get(name)
  const { resolve, refresh, mask } = createReferences({ secretsDir, environment, log })
  const given = { a: '$env://TOKEN', b: ['$secret://file/token'], c: { d: 'costs $env' }, e: 7 }
  assert.deepEqual(resolve(given), {
    value: { a: 'from outside', b: ['from a file'], c: { d: 'costs $env' }, e: 7 },
    faults: [],
  })
  for (const wrong of [
    '$env://NONE',
    '$env://ENTREPOT_MASTER_KEY',
    '$env://a b',
    '$secret://file/../token',
    '$secret://file/.x',
    '$secret://vault/x',
    '$secret://file/none',
  ]) {
    assert.equal(resolve({ a: wrong }).faults[0]?.path, '/a', wrong)
  }
  assert.equal(mask('a from outside b'), 'a ****** b')
  assert.equal(refresh(), undefined)
  // As a file is for a moment while it is written: it is looked at again.
  writeFileSync(join(secretsDir, 'token'), '')
  assert.equal(refresh(), undefined)
  writeFileSync(join(secretsDir, 'token'), 'another')
  const isMeant = refresh()
  assert.deepEqual([isMeant?.(given), isMeant?.({ a: 'x' })], [true, false])
})
