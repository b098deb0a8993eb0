import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CursorPosition } from './cursor.ts'
import type { CursorPaging, KeysetPaging, OffsetPaging } from './parse.ts'
import { cutPage, renderCursorPage, renderKeysetPage, renderOffsetPage } from './render.ts'

describe('offset', () => {
  const paging = (page: number, perPage = 20): OffsetPaging => ({
    strategy: 'offset',
    page,
    perPage,
    count: true,
  })

  test('meta is that of the contract', () => {
    const { meta } = renderOffsetPage(paging(1), { total: 57 })
    assert.deepEqual(meta, { page: 1, per_page: 20, total: 57, total_pages: 3 })
    assert.deepEqual(renderOffsetPage(paging(1), { total: 0 }).meta, {
      page: 1,
      per_page: 20,
      total: 0,
      total_pages: 0,
    })
  })

  test('without a count it tells only whether there is more', () => {
    const { meta, links } = renderOffsetPage(paging(2), { hasMore: true })
    assert.deepEqual(meta, { page: 2, per_page: 20, has_more: true })
    assert.deepEqual(Object.keys(links), ['first', 'prev', 'next'])
    assert.deepEqual(Object.keys(renderOffsetPage(paging(1), { hasMore: false }).links), ['first'])
  })

  test('links lead to the neighbours that exist', () => {
    const pages = (page: number, total: number) => {
      const { links } = renderOffsetPage(paging(page), { total })
      return Object.entries(links).map(([relation, to]) => `${relation} ${to.page}`)
    }
    assert.deepEqual(pages(1, 57), ['first 1', 'next 2', 'last 3'])
    assert.deepEqual(pages(2, 57), ['first 1', 'prev 1', 'next 3', 'last 3'])
    assert.deepEqual(pages(3, 57), ['first 1', 'prev 2', 'last 3'])
    assert.deepEqual(pages(3, 60), ['first 1', 'prev 2', 'last 3'])
    assert.deepEqual(pages(9, 57), ['first 1', 'prev 3', 'last 3'])
    assert.deepEqual(pages(1, 0), ['first 1', 'last 1'])
  })
})

// A list of the ids 1 to `size`, walked as a database would be asked.
const size = 45
const list = Array.from({ length: size }, (_, n) => n + 1)

describe('cursor', () => {
  const paging: CursorPaging = { strategy: 'cursor', cursor: null, perPage: 20, count: false }

  function read(position: CursorPosition | null) {
    const [id = 0] = position?.values ?? []
    const backwards = position?.direction === 'prev'
    const found = backwards
      ? list.filter((n) => n < Number(id)).reverse()
      : list.filter((n) => n > Number(id))
    const page = cutPage(found.slice(0, paging.perPage + 1), paging.perPage, backwards)
    const cursorOf = (row: number, direction: string) => `${direction} ${row}`
    return { ...page, ...renderCursorPage(paging, { ...page, position, cursorOf }) }
  }

  function open(cursor: string): CursorPosition {
    const [direction, id] = cursor.split(' ')
    return { direction: direction === 'prev' ? 'prev' : 'next', values: [Number(id)] }
  }

  test('meta is that of the contract', () => {
    assert.deepEqual(read(null).meta, {
      per_page: 20,
      has_more: true,
      next_cursor: 'next 20',
      prev_cursor: null,
    })
    const counted = { rows: [], hasMore: false, position: null, cursorOf: () => '', total: 0 }
    assert.deepEqual(renderCursorPage(paging, counted).meta, {
      per_page: 20,
      has_more: false,
      next_cursor: null,
      prev_cursor: null,
      total: 0,
    })
  })

  test('a walk to the end and back sees everything once each way', () => {
    let page = read(null)
    const there = [page.rows]
    while (page.meta.next_cursor !== null) {
      page = read(open(page.meta.next_cursor))
      there.push(page.rows)
    }
    assert.deepEqual(there.flat(), list)
    assert.equal(page.meta.has_more, false)

    const back = [page.rows]
    while (page.meta.prev_cursor !== null) {
      page = read(open(page.meta.prev_cursor))
      back.unshift(page.rows)
    }
    assert.deepEqual(back.flat(), list)
    assert.equal(page.meta.has_more, true)
  })

  test('links carry the cursors', () => {
    const { links } = read({ direction: 'next', values: [20] })
    assert.deepEqual(links, {
      first: { cursor: '', per_page: 20 },
      prev: { cursor: 'prev 21', per_page: 20 },
      next: { cursor: 'next 40', per_page: 20 },
    })
  })
})

describe('keyset', () => {
  const start: KeysetPaging = { strategy: 'keyset', afterId: null, beforeId: null, limit: 20 }

  function read(paging: KeysetPaging) {
    const { afterId, beforeId, limit } = paging
    const found =
      beforeId === null
        ? list.filter((n) => n > (afterId ?? 0))
        : list.filter((n) => n < beforeId).reverse()
    const { rows: ids, hasMore } = cutPage(found.slice(0, limit + 1), limit, beforeId !== null)
    return { ids, ...renderKeysetPage(paging, { ids, hasMore }) }
  }

  test('meta is that of the contract', () => {
    const meta = { limit: 20, after_id: 20, next_after_id: 40, has_more: true }
    assert.deepEqual(read({ ...start, afterId: 20 }).meta, meta)
    const end = { limit: 20, after_id: 40, next_after_id: null, has_more: false }
    assert.deepEqual(read({ ...start, afterId: 40 }).meta, end)
    const past = { limit: 20, after_id: 99, next_after_id: null, has_more: false }
    assert.deepEqual(read({ ...start, afterId: 99 }).meta, past)
  })

  test('links can be followed to the end and back', () => {
    let page = read(start)
    const there = [page.ids]
    while (page.links.next) {
      page = read({ ...start, afterId: Number(page.links.next['after_id']) })
      there.push(page.ids)
    }
    assert.deepEqual(there.flat(), list)

    const back = [page.ids]
    while (page.links.prev) {
      page = read({ ...start, beforeId: Number(page.links.prev['before_id']) })
      back.unshift(page.ids)
    }
    assert.deepEqual(back.flat(), list)
    assert.equal(page.meta.has_more, false)
    assert.deepEqual(page.links.first, { limit: 20 })
  })
})
