import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueAction } from './schedule.ts'

test('of two times that were missed the earlier one is done first', () => {
  assert.equal(dueAction({ publish_at: 10, unpublish_at: 20 }, 30), 'publish')
  assert.equal(dueAction({ publish_at: 20, unpublish_at: 10 }, 30), 'unpublish')
  assert.equal(dueAction({ publish_at: 10, unpublish_at: 20 }, 15), 'publish')
  assert.equal(dueAction({ publish_at: null, unpublish_at: 20 }, 20), 'unpublish')
  assert.equal(dueAction({ publish_at: 10, unpublish_at: null }, 9), undefined)
  assert.equal(dueAction({ publish_at: null, unpublish_at: null }, 9), undefined)
})
