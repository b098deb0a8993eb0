import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConnection } from '../../src/kernel/db/sqlite/connection.ts'
import { newNumbers, shareNumbers } from '../../src/kernel/db/sqlite/numbers.ts'

const TOTAL = { sql: 'select count(*) from t', fed: [], isKept: true } as const
const LAST = { sql: 'select max(n) from t', fed: [] } as const
const numbers = shareNumbers(newNumbers())

test('rows of a kept step are those of its batch, after every commit of another connection', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-kept-'))
  const path = join(directory, 'kept.db')
  const schemaEpoch = new Int32Array(new SharedArrayBuffer(4))
  const writer = openConnection(path, { readOnly: false, schemaEpoch, numbers })
  writer.exec('create table t (n integer)')
  const reader = openConnection(path, { readOnly: true, schemaEpoch, numbers })
  t.after(() => {
    reader.close()
    writer.close()
    rmSync(directory, { recursive: true })
  })

  for (let n = 1; n <= 200; n++) {
    writer.run('insert into t values (?)', [n], 1_000)
    for (const again of [1, 2]) {
      const found = reader.ask([LAST, TOTAL], [[], []], 1_000)
      assert.deepEqual(found, [[[n]], [[n]]], `row ${n}, asked ${again} times`)
    }
  }
  writer.exec('begin immediate; delete from t')
  assert.deepEqual(reader.ask([TOTAL], [[]], 1_000), [[[200]]], 'not committed yet')
  writer.exec('commit')
  assert.deepEqual(reader.ask([TOTAL], [[]], 1_000), [[[0]]])
})

test('what is kept is told apart by its parameters', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-kept-'))
  const schemaEpoch = new Int32Array(new SharedArrayBuffer(4))
  const db = openConnection(join(directory, 'kept.db'), { readOnly: false, schemaEpoch, numbers })
  t.after(() => {
    db.close()
    rmSync(directory, { recursive: true })
  })
  const step = { sql: 'select ?', fed: [], isKept: true } as const
  for (const given of ['en', 'de', 'en']) {
    assert.deepEqual(db.ask([step], [[given]], 1_000), [[[given]]])
  }
})
