import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MediaFile } from '../entry.ts'
import type { SortKey } from '../query/ast.ts'
import { folderId, foldersOf, isInside, parseMediaPath } from './folders.ts'
import { compareItems, mergedPage } from './merge.ts'
import type { MediaItem } from './words.ts'

const row = (folder: string, at: number) => ({ folder, created_at: at, updated_at: at + 1 })

test('folders above files exist too, once however they are spelled, with the times of all below', () => {
  const found = foldersOf([row('/', 1), row('/a/b/c', 5), row('/a//b/', 3), row('/z', 9)], folderId)
  assert.deepEqual(
    found.map(({ path, name, createdAtMs, updatedAtMs }) => [path, name, createdAtMs, updatedAtMs]),
    [
      ['/a', 'a', 3, 6],
      ['/a/b', 'b', 3, 6],
      ['/a/b/c', 'c', 5, 6],
      ['/z', 'z', 9, 10],
    ],
  )
  assert.equal(new Set(found.map(({ id }) => id)).size, 4)
  assert.deepEqual(foldersOf([row('/z', 1)], folderId)[0]?.id, found.at(-1)?.id)
  assert.match(
    found[0]?.id ?? '',
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('a folder is inside another directly or anywhere below, never inside itself', () => {
  assert.equal(isInside('/a', { path: '/', deep: false }), true)
  assert.equal(isInside('/a/b', { path: '/', deep: false }), false)
  assert.equal(isInside('/a/b', { path: '/', deep: true }), true)
  assert.equal(isInside('/a', { path: '/a', deep: true }), false)
  assert.equal(isInside('/ab', { path: '/a', deep: true }), false)
})

test('a path names its last step in the folder before it', () => {
  assert.deepEqual(parseMediaPath('//Photos/É.PNG/'), { parent: '/photos', name: 'é.png' })
  assert.deepEqual(parseMediaPath('x'), { parent: '/', name: 'x' })
  assert.equal(parseMediaPath('/'), undefined)
})

test('pages of folders and files among each other show each once, in order', () => {
  const sort: SortKey[] = [{ path: ['name'], order: 'asc' }]
  const folders = foldersOf(
    ['/b', '/d', '/m', '/zz'].map((path) => row(path, 1)),
    folderId,
  ).map((folder): MediaItem => ({ kind: 'folder', folder }))
  const files = ['A', 'c', 'd', 'y', 'é'].map((name, id) => toFile(name, id))
  const all = [...folders, ...files].sort((one, other) => compareItems(sort, one, other))
  for (let start = 0; start < all.length; start += 2) {
    const from = Math.max(0, start - folders.length)
    const page = { from, start, limit: 2 }
    const found = mergedPage(folders, files.slice(from, start + 2), sort, page)
    assert.deepEqual(found, all.slice(start, start + 2), `from ${start}`)
  }
})

function toFile(name: string, id: number): MediaItem {
  const file: MediaFile = {
    ...{ id, uuid: `u${id}`, folder: '/', name, hash: '', ext: '', mime: 'image/png' },
    ...{ alternativeText: null, caption: null, width: null, height: null, formats: null },
    ...{ sizeBytes: 1, url: '', previewUrl: null, provider: 'local', focalPoint: null, crops: [] },
    ...{ createdAtMs: 1, updatedAtMs: 1 },
  }
  return { kind: 'file', file }
}
