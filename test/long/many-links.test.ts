import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  eachDatabase,
  installation,
  runBeside,
  startServer,
  until,
} from '#test-kit'

/** More than a function may have arguments. */
const COUNT = Number(process.env['COUNT'] ?? 140_000)
const AT_ONCE = 500
/** A tenth of it on a quiet machine. */
const MOST_MS = 60_000
/** A third of it on a quiet machine. */
const LONGEST_MS = 6_000

const TAG = { singularName: 'tag', pluralName: 'tags', attributes: { name: { type: 'string' } } }
const PAGE = {
  singularName: 'page',
  pluralName: 'pages',
  attributes: {
    title: { type: 'string' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'pages' },
  },
}

eachDatabase('an entry with many links', (kind) => {
  test(`scale writes: a page with ${COUNT} links is made, read, changed and removed, and others are answered meanwhile`, async (t) => {
    const settings = { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ENTREPOT_STARTER: 'none' }
    const server = await startServer(await installation(kind, settings))
    const { ok } = createCalls(() => server.url, { prefix: '/api/v1' })
    await ok('POST', '/content-types', { body: TAG })
    await ok('POST', '/content-types', { body: PAGE })
    const ids: number[] = []
    while (ids.length < COUNT) {
      const operations = Array.from({ length: AT_ONCE }, (_, n) => ({
        op: 'create',
        data: { name: `tag ${ids.length + n}` },
      }))
      const { data } = await ok('POST', '/tags/bulk', { body: { operations } })
      for (const { id } of data) ids.push(id)
    }
    const { data: page } = await beside('created', () =>
      ok('POST', '/pages', { body: { title: 'one', tags: ids } }),
    )
    const at = `/pages/${page.id}`
    if (kind === 'postgres') await until(hasCounted, { what: 'the count of the new tables' })
    assert.equal(await countTags(), ids.length)
    const half = ids.slice(0, ids.length / 2)
    await change('reversed', { tags: ids.toReversed() })
    await change('titled', { title: 'two' })
    await change('disconnected', { tags: { disconnect: half } })
    assert.equal(await countTags(), ids.length - half.length)
    await change('connected', { tags: { connect: half } })
    assert.equal(await countTags(), ids.length)
    const [first, last] = [ids[0] ?? 0, ids.at(-1) ?? 0]
    await change('moved', { tags: { connect: [{ id: last, position: { before: first } }] } })
    await beside('a tag removed', () => ok('DELETE', `/tags/${first}`))
    assert.equal(await countTags(), ids.length - 1)
    await beside('removed', () => ok('DELETE', at))
    assert.equal((await ok('GET', '/tags?per_page=1')).meta.total, ids.length - 1)

    /** Until then PostgreSQL takes the new tables for small ones. */
    async function hasCounted() {
      const [row] = await runBeside(
        server,
        `select min(reltuples) as fewest from pg_class
         where relnamespace = current_schema()::regnamespace and relkind = 'r'
           and pg_stat_get_live_tuples(oid) >= ${COUNT}`,
      )
      return Number(row?.['fewest']) > COUNT / 2
    }

    async function countTags(): Promise<number> {
      return (await ok('GET', `${at}/tags?per_page=1`)).meta.total
    }

    function change(what: string, body: object) {
      return beside(what, () => ok('PATCH', at, { body }))
    }

    async function beside<T>(what: string, work: () => Promise<T>): Promise<T> {
      const startedMs = performance.now()
      let isOver = false
      const working = work().finally(() => {
        isOver = true
      })
      let longestMs = 0
      while (!isOver) {
        const sentMs = performance.now()
        await (await fetch(`${server.url}/health`)).arrayBuffer()
        longestMs = Math.max(longestMs, performance.now() - sentMs)
      }
      const tookMs = performance.now() - startedMs
      t.diagnostic(`${what}: ${tookMs.toFixed(0)} ms, /health at most ${longestMs.toFixed(0)} ms`)
      const done = await working
      assert.ok(tookMs < MOST_MS, `${what} took ${tookMs} ms`)
      assert.ok(longestMs < LONGEST_MS, `${what} held up others for ${longestMs} ms`)
      return done
    }
  })
})
