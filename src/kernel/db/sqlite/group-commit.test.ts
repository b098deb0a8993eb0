import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { leavingRest } from './group-commit.ts'

test('what a statement says of conflicts itself stays, and nothing else is touched', () => {
  assert.equal(leavingRest('insert into t values (1)'), 'insert or fail into t values (1)')
  assert.equal(leavingRest('\n update "t" set a = 1'), '\n update or fail "t" set a = 1')
  for (const text of ['insert or ignore into t values (1)', 'update or replace t set a = 1']) {
    assert.equal(leavingRest(text), text)
  }
  for (const text of ['select 1', 'delete from t', 'replace into t values (1)', 'updated']) {
    assert.equal(leavingRest(text), text)
  }
})

test('what is done on a conflict is done as before', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('create table t (no integer primary key, n)')
  const put = 'insert into t values (1, ?) on conflict (no) do update set n = excluded.n'
  for (const n of [1, 2]) db.prepare(leavingRest(put)).run(n)
  db.prepare(leavingRest('insert into t values (1, 3) on conflict do nothing')).run()
  assert.equal(db.prepare('select n from t').get()?.['n'], 2)
})
