import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Content, Viewer } from '#content'
import type { MediaFolder, MediaItem, MediaPage, MediaQuery } from '#content-media'
import type { AnyTables, Database } from '#db'
import { eachDatabase } from '#test-kit'
import { openStore } from './content-query/open-store.ts'

const READER = { level: 'read' } as const
const FILES = [
  ['/', 'readme.txt', 10],
  ['/', 'Zebra', 20],
  ['/Photos', 'Harbour', 30],
  ['/Photos/2026/', 'Boat', 40],
  ['/photos2', 'other', 50],
] as const

eachDatabase('media in folders', (kind) => {
  const opened = openStore(kind).then(async ({ database, content }) => {
    await writeFiles(database)
    return content
  })

  test('without a place all files are listed and no folder', async () => {
    const content = await opened
    assert.deepEqual(await listed(content, {}), [
      ['readme.txt', 'Zebra', 'Harbour', 'Boat', 'other'],
      5,
    ])
    assert.deepEqual(await listed(content, { start: 1, limit: 2 }), [['Zebra', 'Harbour'], 5])
    assert.deepEqual(await listed(content, { limit: 0 }), [[], 5])
    assert.deepEqual(await listed(content, { start: 9 }), [[], 5])
  })

  test('a folder shows its files and folders, directly or all below, each page by page', async () => {
    const content = await opened
    const top = { within: { path: '/', deep: false }, folders: () => true }
    const sort = [{ path: ['name'], order: 'desc' }] as const
    const all = ['Zebra', 'readme.txt', '/photos2', '/Photos']
    assert.deepEqual(await listed(content, { ...top, sort }), [all, 4])
    for (let start = 0; start < 5; start++) {
      const page = await listed(content, { ...top, sort, start, limit: 2 })
      assert.deepEqual(page, [all.slice(start, start + 2), 4], `from ${start}`)
    }
    const photos = { path: '/Photos', deep: true }
    assert.deepEqual(await listed(content, { within: photos, folders: () => true }), [
      ['Harbour', '/Photos/2026', 'Boat'],
      3,
    ])
    assert.deepEqual(await listed(content, { within: { path: '/Photos/2026', deep: false } }), [
      ['Boat'],
      1,
    ])
    assert.deepEqual(await listed(content, { within: { path: '/nowhere', deep: true } }), [[], 0])
  })

  test('filters choose files, and folders by what is asked of them', async () => {
    const content = await opened
    const compare = { kind: 'compare', field: 'name', operator: 'contains', fold: true } as const
    const filter = { ...compare, values: ['O'] }
    const within = { path: '/', deep: true }
    const folders = ({ name }: MediaFolder) => name.includes('2')
    assert.deepEqual(await listed(content, { within, filter, folders }), [
      ['Harbour', '/Photos/2026', 'Boat', '/photos2', 'other'],
      5,
    ])
    await assert.rejects(listed(content, { filter: { ...filter, field: 'nothing' } }), {
      code: 'invalid_query',
    })
  })

  test('a path leads to a folder or a file without regard to case', async () => {
    const content = await opened
    const at = async (path: string) => {
      const found = await content.findMediaPath(READER, path)
      return found && shownName(found)
    }
    assert.equal(await at('/photos/'), '/Photos')
    assert.equal(await at('photos//2026/BOAT'), 'Boat')
    assert.equal(await at('zebra'), 'Zebra')
    assert.equal(await at('/photos/boat'), undefined)
    assert.equal(await at('/'), undefined)
    const folders = await content.findFolders(READER)
    assert.deepEqual(
      folders.map(({ path, createdAtMs }) => [path, createdAtMs]),
      [
        ['/Photos', 30],
        ['/Photos/2026', 40],
        ['/photos2', 50],
      ],
    )
  })

  test('files that no public entry shows, and their folders, are not there without a key', async () => {
    const content = await opened
    const nobody = { level: null }
    assert.deepEqual(await content.findFolders(nobody), [])
    assert.equal(await content.findMediaPath(nobody, '/zebra'), undefined)
    const query = { within: { path: '/', deep: true }, folders: () => true }
    assert.deepEqual(await listed(content, query, nobody), [[], 0])
  })
})

interface Listing extends Pick<MediaQuery, 'filter' | 'sort'>, Omit<MediaPage, 'hasFolders'> {
  readonly folders: ((folder: MediaFolder) => boolean) | null
}

const PLAIN: Listing = {
  ...{ within: null, folders: null, filter: null, sort: [], start: 0, limit: 100 },
}

async function listed(content: Content, query: Partial<Listing>, viewer: Viewer = READER) {
  const { filter, sort, folders, ...page } = { ...PLAIN, ...query }
  const question = {
    ...{ model: content.model(), values: [] },
    template: `${JSON.stringify([filter, sort])} ${folders}`,
    read: () => ({ filter, sort, admits: folders ?? (() => false) }),
  }
  const hasFolders = folders !== null
  const { items, total } = await content.findMedia(viewer, question, { ...page, hasFolders })
  return [items.map(shownName), total]
}

function shownName(item: MediaItem): string {
  return item.kind === 'file' ? item.file.name : item.folder.path
}

async function writeFiles({ main }: Database) {
  const rows = FILES.map(([folder, name, at], no) => ({
    ...{ folder, name, name_fold: name.toLowerCase(), created_at: at, updated_at: at },
    ...{ uuid: `0195a8c2-7c1e-7b3a-9d44-0000000009${no}0`, hash: `h${no}`, ext: '.txt' },
    ...{ mime: 'text/plain', size_bytes: 1, provider: 'local' },
  }))
  await main.transaction(undefined, async (tx) => {
    await tx.as<AnyTables>().insertInto('content_files').values(rows).execute()
  })
}
