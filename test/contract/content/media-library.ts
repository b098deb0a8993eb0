import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, createCalls } from '#test-kit'
import { storeSuite } from './support.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAADUlEQVR42mNk+M/wHwAEAQH/cQhT9wAAAABJRU5ErkJggg==',
  'base64',
)

export const mediaLibrary = storeSuite('the library of media', ({ server }) => {
  const { call, data } = createCalls(() => server().url, { prefix: '/api/v1' })
  const key = ADMIN_KEY

  async function upload(bytes: Buffer | string, name: string, fields: Record<string, string> = {}) {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.set(field, value)
    form.set('file', new Blob([new Uint8Array(Buffer.from(bytes))]), name)
    return data('POST', '/media', { key, form })
  }

  async function shownBy(id: string) {
    const url = `${server().url}/cms/delivery/api/v2/media/item/${id}`
    const answer = await fetch(url, { headers: { 'x-api-key': key } })
    return JSON.parse(await answer.text())
  }

  const paths = async (query = '') =>
    (await data('GET', `/media/folders${query}`, { key })).map(({ path }: { path: string }) => path)

  test('content-model 5: focal point and crops of a picture are written and delivered', async () => {
    const picture = await upload(PNG, 'harbour.png')
    assert.deepEqual([picture.focal_point, picture.crops, picture.formats], [null, [], null])
    const focal_point = { left: 0.25, top: 0.5 }
    const coordinates = { x1: 0.1, y1: 0, x2: 0.2, y2: 0.3 }
    const body = {
      focal_point,
      crops: [
        { alias: 'square', width: 100, height: 100 },
        { alias: 'wide', width: 160, height: 90, coordinates },
      ],
    }
    const changed = await data('PATCH', `/media/${picture.id}`, { key, body })
    assert.deepEqual(changed.focal_point, focal_point)
    const delivered = await shownBy(picture.uuid)
    assert.deepEqual(delivered.focalPoint, focal_point)
    assert.deepEqual(delivered.crops, [
      { alias: 'square', width: 100, height: 100, coordinates: null },
      { alias: 'wide', width: 160, height: 90, coordinates },
    ])
    // What is not said stays.
    await data('PATCH', `/media/${picture.id}`, { key, body: { caption: 'At dawn' } })
    assert.equal((await shownBy(picture.uuid)).crops.length, 2)
    const none = { focal_point: null, crops: [] }
    await data('PATCH', `/media/${picture.id}`, { key, body: none })
    const bare = await shownBy(picture.uuid)
    assert.deepEqual([bare.focalPoint, bare.crops], [null, []])
  })

  test('content-model 5: parts that cannot be are refused, and files that are no pictures have none', async () => {
    const picture = await upload(PNG, 'a.png')
    const cut = { x1: 0.5, y1: 0, x2: 0.5, y2: 0 }
    for (const body of [
      { focal_point: { left: 1.1, top: 0 } },
      { focal_point: { left: 0.5 } },
      { crops: [{ alias: 'a', width: 0, height: 1 }] },
      { crops: [{ alias: '1a', width: 1, height: 1 }] },
      { crops: [{ alias: 'a', width: 1, height: 1, coordinates: cut }] },
      { crops: ['a', 'a'].map((alias) => ({ alias, width: 1, height: 1 })) },
    ]) {
      const { status } = await call('PATCH', `/media/${picture.id}`, { key, body })
      assert.equal(status, 400, JSON.stringify(body))
    }
    const text = await upload('a;b', 'table.csv')
    assert.deepEqual([text.focal_point, text.crops], [null, null])
    const refused = await call('PATCH', `/media/${text.id}`, {
      ...{ key, body: { focal_point: { left: 0, top: 0 } } },
    })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.error.code, 'not_a_picture')
    const delivered = await shownBy(text.uuid)
    assert.deepEqual([delivered.focalPoint, delivered.crops], [null, null])
  })

  test('content-model 5: other bytes keep the id of a file', async () => {
    const before = await upload(PNG, 'old.png', { caption: 'Stays' })
    const form = new FormData()
    form.set('file', new Blob(['words']), 'new.txt')
    const after = await data('PUT', `/media/${before.id}/file`, { key, form })
    assert.deepEqual([after.id, after.mime, after.caption], [before.id, 'text/plain', 'Stays'])
    assert.equal((await fetch(server().url + before.url)).status, 404)
    assert.equal(await (await fetch(server().url + after.url)).text(), 'words')
    const nothing = await call('PUT', `/media/${before.id}/file`, { key, form: new FormData() })
    assert.equal(nothing.status, 400)
  })

  test('content-model 5: a folder keeps its id wherever it is moved, and what comes after it has another', async () => {
    interface Folder {
      readonly id: string
      readonly path: string
    }
    const folders = async () => {
      const all: Folder[] = await data('GET', '/media/folders', { key })
      return new Map(all.map(({ id, path }) => [path, id]))
    }
    const move = (id: string | undefined, path: string) =>
      data('PATCH', `/media/folders/${id}`, { key, body: { path } })
    // Nobody made these: they are there by a file.
    const file = await upload(PNG, 'deep.png', { folder: '/one/two/three' })
    const before = await folders()
    const [one, two, three] = ['/one', '/one/two', '/one/two/three'].map((path) => before.get(path))
    assert.equal((await move(two, '/else/deux')).id, two)
    const after = await folders()
    assert.deepEqual([after.get('/else/deux'), after.get('/else/deux/three')], [two, three])
    assert.equal(after.has('/one/two'), false)
    assert.equal((await shownBy(`${three}`)).path, '/else/deux/three/')
    // What comes to the former path is another folder, also when the first is gone.
    const other = await data('POST', '/media/folders', { key, body: { path: '/one/two' } })
    assert.equal(new Set([one, two, three, other.id]).size, 4)
    const second = await upload(PNG, 'again.png', { folder: '/one/two/three' })
    const third = (await folders()).get('/one/two/three')
    assert.notEqual(third, three)
    await data('PATCH', `/media/folders/${other.id}`, { key, body: { path: '/elsewhere' } })
    assert.equal((await move(two, '/one/two')).id, two)
    assert.equal((await folders()).get('/one/two/three'), three)
    assert.equal((await folders()).get('/elsewhere/three'), third)
    for (const { id } of [file, second]) await call('DELETE', `/media/${id}`, { key })
    for (const path of ['/one', '/elsewhere', '/else']) {
      const id = (await folders()).get(path)
      if (id) await call('DELETE', `/media/folders/${id}?recursive=true`, { key })
    }
    assert.deepEqual([...(await folders()).keys()], [])
  })

  test('console media: folders are made, listed, moved with what they hold, and deleted when empty', async () => {
    const trips = await data('POST', '/media/folders', { key, body: { path: '/trips/' } })
    assert.deepEqual([trips.path, trips.name], ['/trips', 'trips'])
    const twice = await call('POST', '/media/folders', { key, body: { path: '/trips' } })
    assert.equal(twice.status, 409)
    for (const path of ['/', 'trips', '/a/../b', '/a/./b', '/..', '/.']) {
      const { status } = await call('POST', '/media/folders', { key, body: { path } })
      assert.equal(status, 400, path)
    }
    const deep = await upload(PNG, 'sea.png', { folder: '/trips/2026/' })
    assert.equal(deep.folder, '/trips/2026')
    const top = await upload(PNG, 'hill.png')
    await data('PATCH', `/media/${top.id}`, { key, body: { folder: '/trips' } })
    const listed = await data('GET', '/media?folder=/trips/', { key })
    assert.deepEqual(
      listed.map(({ id }: { id: number }) => id),
      [top.id],
    )
    assert.deepEqual(await paths('?parent=/trips'), ['/trips/2026'])

    const moved = await data('PATCH', `/media/folders/${trips.id}`, {
      ...{ key, body: { path: '/travel/all' } },
    })
    assert.equal(moved.path, '/travel/all')
    assert.equal((await data('GET', `/media/${deep.id}`, { key })).folder, '/travel/all/2026')
    assert.ok(!(await paths()).includes('/trips'))
    const into = { key, body: { path: '/travel/all/2026/x' } }
    assert.equal((await call('PATCH', `/media/folders/${moved.id}`, into)).status, 409)
    assert.equal(moved.id, trips.id, 'it keeps its id')
    assert.equal((await shownBy(deep.uuid)).path, '/travel/all/2026/sea.png/')

    const full = await call('DELETE', `/media/folders/${moved.id}`, { key })
    assert.equal(full.status, 409)
    assert.equal(full.body.error.code, 'folder_not_empty')
    assert.deepEqual([full.body.error.files, full.body.error.folders], [2, 1])
    const all = await call('DELETE', `/media/folders/${moved.id}?recursive=true`, { key })
    assert.equal(all.status, 204)
    assert.equal((await call('GET', `/media/${deep.id}`, { key })).status, 404)
    assert.equal((await fetch(server().url + deep.url)).status, 404)
    assert.ok(!(await paths()).some((path: string) => path.startsWith('/travel')))
    // One that was made stays when it is empty, and goes when it is deleted.
    const empty = await data('POST', '/media/folders', { key, body: { path: '/empty' } })
    assert.deepEqual(await data('GET', `/media/folders/${empty.id}`, { key }), empty)
    assert.equal((await call('DELETE', `/media/folders/${empty.id}`, { key })).status, 204)
    assert.equal((await call('GET', `/media/folders/${empty.id}`, { key })).status, 404)
    assert.equal((await call('GET', '/media/folders', { key: null })).status, 401)
  })

  test('content-model 5: every parameter of the list of files chooses or sorts', async () => {
    const folder = '/listed'
    await upload(PNG, 'a-list.png', { folder })
    await upload('plain text', 'b-list.txt', { folder })
    await upload('x,y', 'c-list.csv', { folder })
    const listed = async (query: string): Promise<{ id: number; name: string }[]> =>
      data('GET', `/media?folder=${folder}&${query}`, { key })
    const names = async (query: string) =>
      (await listed(query)).map(({ name }) => name.slice(0, 1)).join('')
    assert.equal(await names('q=B-LI'), 'b')
    assert.equal(await names('name=C-List.csv'), 'c')
    assert.equal(await names('mime=image/png'), 'a')
    assert.equal(await names('ext=.txt'), 'b')
    assert.equal(await names('sort=mime'), 'acb')
    assert.equal(await names('sort=created_at&order=desc'), 'cba')
    const [first] = await listed('name=a-list.png')
    await data('PATCH', `/media/${first?.id}`, { key, body: { caption: 'now' } })
    assert.equal(await names('sort=updated_at&order=desc'), 'acb')
    assert.equal(await names('per_page=1&page=2&sort=name'), 'b')
    assert.equal(await names(`after_id=${first?.id}&limit=1`), 'b')
  })
})
