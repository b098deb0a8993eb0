import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runBeside, type TestServer } from '#test-kit'
import { accessSuite } from './support.ts'

const MANY = 100_000

export const manyKeys = accessSuite(
  'many keys',
  ({ server, call, createPlan, createUser, issueKey }) => {
    test('a hundred thousand keys do not change the time of a check', async () => {
      const { id } = await createPlan()
      const keys: string[] = []
      for (let n = 0; n < 120; n++) keys.push((await issueKey({ plan_id: id })).key)
      const few = await firstUse(keys.slice(0, 60))
      const holder = await createUser('many@example.com')
      await insertMany(server(), holder.id)
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
  },
)

/** Straight into the database: issuing them one by one would take minutes. */
function insertMany(server: TestServer, userId: number): Promise<unknown> {
  const columns = `user_id, plan_id, kind, key_hash, key_prefix, access, status, created_at, revision`
  const values = `${userId}, 1, 'key', 'hash' || n, 'sk_' || substr(n || '00000', 1, 5), 'read', 'active', 0, 0`
  return runBeside(
    server,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      insert into access_keys (${columns}) select ${values} from numbers`,
  )
}
