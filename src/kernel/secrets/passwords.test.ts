import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../random.ts'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords({ random })

test('a password is recognised, another is not, and both hashes of it differ', async () => {
  const stored = await passwords.hash('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await passwords.verify('correct horse', stored), true)
  assert.equal(await passwords.verify('correct horsf', stored), false)
  assert.notEqual(await passwords.hash('correct horse'), stored)
})

test('the Unicode form in which it was typed does not matter', async () => {
  const stored = await passwords.hash('\u00e9t\u00e9')
  assert.equal(await passwords.verify('e\u0301te\u0301', stored), true)
})

test('without a stored password nothing is right, and it takes as long', async () => {
  const stored = await passwords.hash('x')
  await passwords.verify('x', null)
  const known = await time(() => passwords.verify('y', stored))
  const unknown = await time(() => passwords.verify('y', null))
  assert.equal(await passwords.verify('', null), false)
  assert.ok(unknown > known / 4, `${unknown} ms against ${known} ms`)
})

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
