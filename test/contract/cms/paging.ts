import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cmsSuite } from './support.ts'

export const walking = cmsSuite('walking by id', ({ call, ok, create }) => {
  const made: number[] = []

  before(async () => {
    for (let n = 0; n < 23; n++) made.push(await create('samples', { name: `s${n % 3}`, whole: n }))
  })

  test('cms-rest 6: the whole collection without repeat or gap while it changes', async () => {
    const stays = made.filter((_, n) => n !== 12)
    const seen: number[] = []
    let after: number | null = 0
    for (let round = 0; after !== null; round++) {
      const { data, meta }: Awaited<ReturnType<typeof ok>> = await ok(
        'GET',
        `/api/samples?after_id=${after}&limit=5`,
      )
      const { pagination } = meta
      assert.equal(pagination.limit, 5)
      assert.equal(pagination.after_id, after)
      assert.equal(pagination.has_more, pagination.next_after_id !== null)
      assert.equal(pagination.total, undefined)
      seen.push(...data.map(({ id }: { id: number }) => id))
      after = pagination.next_after_id
      if (round === 0) await ok('DELETE', `/api/samples/${made[2]}`)
      if (round === 1) await ok('DELETE', `/api/samples/${made[12]}`)
      if (round === 2) made.push(await create('samples', { name: 'late' }))
    }
    assert.equal(new Set(seen).size, seen.length, 'no repeat')
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      seen,
    )
    for (const id of stays) assert.ok(seen.includes(id), `no gap at ${id}`)
    assert.ok(seen.includes(made.at(-1) ?? 0))
    assert.ok(!seen.includes(made[12] ?? 0))
  })

  test('cms-rest 6: backwards, from an id that is gone, with filters', async () => {
    const path = '/api/samples?sort=id:desc&limit=4'
    const page = async (query: string) => {
      const { data, meta } = await ok('GET', query)
      return { ids: data.map(({ id }: { id: number }) => id), meta: meta.pagination }
    }
    const top = await page(path)
    assert.deepEqual(
      top.ids,
      top.ids.toSorted((a: number, b: number) => b - a),
    )
    assert.deepEqual(top.meta, {
      limit: 4,
      after_id: null,
      next_after_id: top.ids[3],
      has_more: true,
    })
    const next = await page(`${path}&after_id=${top.meta.next_after_id}`)
    assert.ok(next.ids.every((id: number) => id < top.ids[3]))
    const back = await page(`/api/samples?before_id=${made[5]}&limit=2`)
    assert.deepEqual(back.ids, [made[3], made[4]])
    assert.equal(back.meta.has_more, true)
    const gone = await page(`/api/samples?after_id=${made[12]}&limit=1`)
    assert.deepEqual(gone.ids, [made[13]])
    const filtered = await page('/api/samples?after_id=0&limit=100&filters[name]=s1')
    assert.equal(filtered.ids.length, 8)
    assert.equal(filtered.meta.next_after_id, null)
    assert.equal((await page('/api/samples?limit=500')).meta.limit, 100)
  })

  test('cms-rest 6: another order, mixed modes and bad ids are refused', async () => {
    for (const query of [
      'after_id=10&sort=title',
      'after_id=10&sort=name',
      'after_id=10&pagination[page]=1',
      'limit=5&pagination[pageSize]=5',
      'after_id=abc',
      'after_id=1.5',
      'before_id=x',
      'after_id=1&before_id=9',
      'limit=none',
    ]) {
      const { status, body } = await call('GET', `/api/samples?${query}`)
      assert.equal(status, 400, query)
      assert.match(body.error.name, /^(Validation|Pagination)Error$/)
    }
  })

  test('cms-rest 5: members that pagination does not have are refused and named', async () => {
    for (const path of ['/api/samples', '/api/upload/files']) {
      for (const name of ['foo', 'pagesize', 'per_page']) {
        const { status, body } = await call('GET', `${path}?pagination[${name}]=2`)
        assert.equal(status, 400, path)
        assert.equal(body.error.name, 'PaginationError')
        assert.match(body.error.message, new RegExp(`no ${name}; it has page, pageSize`))
      }
    }
  })

  test('cms-rest 7: the Accept header chooses the versioned shape', async () => {
    const versioned = await call('GET', '/api/samples', {
      headers: { accept: 'application/vnd.app.v1+json' },
    })
    assert.equal(versioned.status, 200)
    assert.equal(versioned.body.data[0].attributes, undefined)
    assert.ok('name' in versioned.body.data[0])
    const plain = await ok('GET', '/api/samples')
    assert.ok(plain.data[0].attributes)
  })
})
