import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { eachDatabase, type TestServer } from '#test-kit'
import { accessServer } from './support.ts'

const MANY = 100_000

eachDatabase('many keys', (kind) => {
  const { server, call, createPlan, issueKey } = accessServer(kind)

  test('a hundred thousand keys do not change the time of a check', async () => {
    const { id } = await createPlan()
    const keys: string[] = []
    for (let n = 0; n < 120; n++) keys.push((await issueKey({ plan_id: id })).key)
    const few = await firstUse(keys.slice(0, 60))
    await insertMany(server())
    const many = await firstUse(keys.slice(60))
    assert.ok(many < few * 2 + 5, `${many} ms with many keys, ${few} ms with few`)
  })

  /** The fastest request with a key not used before: a busy machine slows the others, not all. */
  async function firstUse(fresh: readonly string[]): Promise<number> {
    const times: number[] = []
    for (const key of fresh) {
      const startedMs = performance.now()
      const { status } = await call('GET', '/nothing', { key })
      times.push(performance.now() - startedMs)
      assert.equal(status, 404)
    }
    return Math.min(...times)
  }
})

/** Straight into the database: issuing them one by one would take minutes. */
async function insertMany({ env, dataDir }: TestServer): Promise<void> {
  const url = env['ENTREPOT_DATABASE_URL']
  const columns = `user_id, plan_id, kind, key_hash, key_prefix, access, status, created_at, revision`
  const values = `1, 1, 'key', 'hash' || n, 'sk_' || substr(n || '00000', 1, 5), 'read', 'active', 0, 0`
  if (url === undefined) {
    const db = new DatabaseSync(join(dataDir, 'entrepot.db'), { timeout: 5_000 })
    db.exec(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      insert into access_keys (${columns}) select ${values} from numbers`)
    db.close()
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into access_keys (${columns}) select ${values} from generate_series(1, ${MANY}) n`,
  )
  await client.end()
}
