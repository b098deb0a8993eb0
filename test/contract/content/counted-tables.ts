import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runBeside, until } from '#test-kit'
import { storeSuite } from './support.ts'

const LABELS = 600
/** A connection at rest tells of its rows after ten seconds, and they are looked for every five. */
const WITHIN_MS = 45_000

/** Of PostgreSQL, which plans by how many rows it believes tables to have. */
export const countedTables = storeSuite('tables that have grown', ({ server, data }) => {
  test('scale size: tables that have just been filled are counted before autovacuum does, and lists of many links are planned by it', async () => {
    const attributes = { name: { type: 'string' } }
    const label = { singularName: 'label', pluralName: 'labels', attributes }
    const labels = { type: 'relation', relation: 'manyToMany', target: 'label' }
    const sheet = { singularName: 'sheet', pluralName: 'sheets', attributes: { labels } }
    await data('POST', '/api/v1/content-types/batch', { body: { contentTypes: [label, sheet] } })
    const operations = Array.from({ length: LABELS / 2 }, (_, n) => ({
      ...{ op: 'create', data: { name: `label ${n}` } },
    }))
    const ids: number[] = []
    for (let sent = 0; sent < 2; sent++) {
      const made = await data('POST', '/api/v1/labels/bulk', { body: { operations } })
      for (const { id } of made) ids.push(id)
    }
    const { id } = await data('POST', '/api/v1/sheets', { body: { labels: ids } })
    await until(hasCounted, { withinMs: WITHIN_MS, what: 'the count of the table of labels' })
    const listed = await data('GET', `/api/v1/sheets/${id}/labels?per_page=100&page=6`)
    assert.deepEqual(
      listed.map((one: { id: number }) => one.id),
      ids.slice(500),
    )
  })

  /** By a count that was asked for: autovacuum notes its own in another column. What is told late changes no `reltuples`. */
  async function hasCounted() {
    const [row] = await runBeside(
      server(),
      `select c.reltuples::int as rows from content_types as t
       join pg_class as c on c.relname = 'content_v' || t.no and c.relnamespace = current_schema()::regnamespace
       where t.singular_name = 'label' and pg_stat_get_last_analyze_time(c.oid) is not null`,
    )
    return Number(row?.['rows'] ?? 0) > LABELS / 2
  }
})
