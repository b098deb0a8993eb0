import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownUser } from '../deps.ts'
import { createUserDirectory } from './users.ts'

const MAKER: KnownUser = { id: 1, uuid: 'a', name: 'Ada', email: 'ada@example.org' }
const MADE = [{ createdBy: MAKER.id, included: new Map() }]

/** Accounts whose answers wait until they are let go. */
function slowAccounts() {
  const waiting: (() => void)[] = []
  let asked = 0
  let tell = () => {}
  const directory = createUserDirectory({
    byIds(ids) {
      asked++
      return new Promise((resolve) => {
        waiting.push(() => resolve(ids.includes(MAKER.id) ? [MAKER] : []))
      })
    },
    byUuid: async () => undefined,
    all: async () => [],
    onChange: (listener) => {
      tell = listener
    },
  })
  const letGo = () => {
    for (const go of waiting.splice(0)) go()
  }
  return { directory, letGo, asked: () => asked, change: () => tell() }
}

test('who asks while an account is looked up is told of it as the first is', async () => {
  const { directory, letGo } = slowAccounts()
  const both = [directory.ofEntries(MADE), directory.ofEntries(MADE)]
  letGo()
  for (const found of await Promise.all(both)) assert.deepEqual([...found], [[1, MAKER]])
})

test('accounts are looked up once, until one of them changes', async () => {
  const { directory, letGo, asked, change } = slowAccounts()
  for (const expected of [1, 1, 2]) {
    if (expected === 2) change()
    const found = directory.ofEntries(MADE)
    letGo()
    assert.equal((await found).size, 1)
    assert.equal(asked(), expected)
  }
})

test('what was looked up before a change is not remembered after it', async () => {
  const { directory, letGo, asked, change } = slowAccounts()
  const before = directory.ofEntries(MADE)
  change()
  letGo()
  await before
  const after = directory.ofEntries(MADE)
  letGo()
  await after
  assert.equal(asked(), 2)
})
