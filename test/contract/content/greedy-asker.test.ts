import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { contentServer } from './support.ts'

/** Room for some forty of the lists below. */
const CACHE_BYTES = 512 * 1024
const DIFFERENT = 200
const TYPES = [
  {
    singularName: 'note',
    pluralName: 'notes',
    attributes: { title: { type: 'string' }, body: { type: 'text' }, size: { type: 'integer' } },
  },
]
const POPULAR = '/api/notes?sort=title&pagination[pageSize]=20'

// SQLite: where others may write too, a response is kept for a second only.
describe('responses that are asked for all the time', () => {
  const { call } = contentServer('sqlite', { ENTREPOT_ANSWERS_MAX_BYTES: String(CACHE_BYTES) })

  before(async () => {
    await call('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
    for (let n = 0; n < 20; n++) {
      const body = { title: `Note ${n}`, body: 'x'.repeat(500), size: n }
      assert.equal((await call('POST', '/api/v1/notes', { body })).status, 201)
    }
  })

  async function comesFromCache(path: string): Promise<boolean> {
    const earlier = await hits()
    assert.equal((await call('GET', path)).status, 200)
    return (await hits()) > earlier
  }

  async function hits(): Promise<number> {
    const { body } = await call('GET', '/metrics')
    return Number(/^content_cache_hits (\d+)$/m.exec(body)?.[1])
  }

  test('reads 3: whoever asks many different questions pushes out nothing that is asked again', async () => {
    const other = (n: number) => `/api/notes?filters[size][$gte]=-${n}&pagination[pageSize]=20`
    for (let time = 0; time < 2; time++) await call('GET', POPULAR)
    assert.ok(await comesFromCache(POPULAR), 'asked before')
    for (let n = 0; n < DIFFERENT; n++) assert.equal((await call('GET', other(n))).status, 200)
    assert.ok(await comesFromCache(POPULAR), 'still there')
    await call('GET', other(1))
    assert.ok(await comesFromCache(other(1)), 'what is asked again is kept, whoever asks')
  })

  test('reads 3: what was asked before is kept anew with the first read after a change', async () => {
    await call('POST', '/api/v1/notes', { body: { title: 'A change', size: 0 } })
    assert.ok(!(await comesFromCache(POPULAR)), 'it shows the change')
    assert.ok(await comesFromCache(POPULAR))
  })
})
