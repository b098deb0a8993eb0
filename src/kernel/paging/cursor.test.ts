import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../errors.ts'
import { type CursorBinding, type CursorPosition, createCursors } from './cursor.ts'

const cursors = createCursors({ key: Buffer.alloc(32, 7) })
const binding: CursorBinding = {
  resource: 'articles',
  sort: 'title',
  order: 'asc',
  filters: { status: 'published', author_id: 3 },
}

test('values of every kind and both directions come back as they were', () => {
  const values = ['', 'größe 🚢', '\u0000\n', 'x'.repeat(5_000), 0, -1.5, 1e300, true, false, null]
  for (const direction of ['next', 'prev'] as const) {
    const position: CursorPosition = { direction, values }
    const cursor = cursors.encode(position, binding)
    assert.match(cursor, /^[\w-]+$/, 'safe in a URL')
    assert.deepEqual(cursors.decode(cursor, binding), position)
  }
})

test('equal filters are equal in any order of members', () => {
  const cursor = cursors.encode({ direction: 'next', values: [1] }, binding)
  const filters = { author_id: 3, status: 'published', page: undefined }
  assert.deepEqual(cursors.decode(cursor, { ...binding, filters }).values, [1])
})

test('another resource, sort, order, filter or key is refused', () => {
  const cursor = cursors.encode({ direction: 'next', values: ['a', 1] }, binding)
  const others: Partial<CursorBinding>[] = [
    { resource: 'posts' },
    { sort: 'id' },
    { order: 'desc' },
    { filters: {} },
    { filters: null },
    { filters: { status: 'published', author_id: '3' } },
    { filters: [{ status: 'published', author_id: 3 }] },
  ]
  for (const other of others) assertInvalid(cursor, { ...binding, ...other })
  const elsewhere = createCursors({ key: Buffer.alloc(32, 8) })
  assert.throws(() => elsewhere.decode(cursor, binding), DomainError)
})

test('every changed, missing or added character is refused', () => {
  const cursor = cursors.encode({ direction: 'next', values: ['a', 1] }, binding)
  for (let n = 0; n < cursor.length; n++) {
    const other = cursor[n] === 'A' ? 'B' : 'A'
    assertInvalid(cursor.slice(0, n) + other + cursor.slice(n + 1), binding)
    assertInvalid(cursor.slice(0, n), binding)
  }
  for (const text of [`${cursor}!`, `${cursor}=`, ` ${cursor}`, 'abc', 'null', '2', '..']) {
    assertInvalid(text, binding)
  }
})

function assertInvalid(cursor: string, used: CursorBinding) {
  assert.throws(
    () => cursors.decode(cursor, used),
    (error) =>
      error instanceof DomainError && error.kind === 'invalid' && error.code === 'invalid_cursor',
    cursor,
  )
}
