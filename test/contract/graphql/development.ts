import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  relationTo,
  runBeside,
  startServer,
  until,
} from '#test-kit'

const TYPES = [
  { singularName: 'leaf', pluralName: 'leaves', attributes: { name: { type: 'string' } } },
  {
    singularName: 'branch',
    pluralName: 'branches',
    attributes: { name: { type: 'string' }, leaves: relationTo('manyToMany', 'leaf') },
  },
]
const FAULT = {
  message: 'Internal Server Error',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
}
/** A server of its own, in development, which may say most of itself and whose failures are wanted. */
export function development(kind: DatabaseKind): void {
  test('in development', async (t) => {
    const env = { ENTREPOT_ENV: 'development', ENTREPOT_ADMIN_KEY: ADMIN_KEY }
    const server = await startServer(await installation(kind, env))
    t.after(() => server.kill())
    const { call, ok } = createCalls(() => server.url)
    const ask = (at: string, query: string, key: string | null = null) =>
      call('POST', `/graphql${at}`, { key, body: { query } })

    await t.test('graphql 14: GraphiQL is for everybody', async () => {
      for (const path of ['/graphql', '/graphql/offset', '/graphql/connection']) {
        const page = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } })
        assert.equal(page.status, 200)
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
        assert.match(await page.text(), /graphiql\.js/)
      }
    })

    await t.test('graphql 14: a storage that fails is told of without stack or SQL', async () => {
      await ok('POST', '/api/v1/content-types/batch', { body: { contentTypes: TYPES } })
      const leaf = await ok('POST', '/api/leaves', { body: { data: { name: 'green' } } })
      const leaves = [leaf.data.id]
      const { data } = await ok('POST', '/api/branches', { body: { data: { name: 'b', leaves } } })
      const [{ no } = {}] = await runBeside(
        server,
        `select no from content_types where singular_name = 'leaf'`,
      )
      const table = `content_v${no}`
      const reported = () => server.log().split('"msg":"request failed"').length - 1
      const before = reported()

      await runBeside(server, `alter table ${table} rename to ${table}_away`)
      const told = []
      try {
        const list = await ask(
          '',
          '{ branches { data { id } }\n  leaves { data { attributes { name } } } }',
        )
        told.push(list)
        assert.deepEqual(list.body.data, {
          branches: { data: [{ id: `${data.id}` }] },
          leaves: null,
        })
        assert.deepEqual(list.body.errors, [
          { path: ['leaves'], locations: [{ line: 2, column: 3 }], ...FAULT },
        ])
        const below =
          '{ branches { data { attributes { leaves { data { id attributes { name } } } } } } }'
        told.push(await ask('', below))
        told.push(await ask('/offset', '{ leaves { items { name } total } }'))
        told.push(await ask('/connection', '{ leaves { edges { node { name } } } }'))
        assert.deepEqual(
          told.slice(1).map(({ body }) => body.data),
          [{ branches: null }, null, null],
        )
        const change = 'mutation { createLeaf(data: { name: "red" }) { data { id } } }'
        const changed = await ask('', change, ADMIN_KEY)
        told.push(changed)
        assert.deepEqual(changed.body.data, { createLeaf: null })
        for (const { status, body } of told) {
          assert.equal(status, 200)
          assert.deepEqual(Object.keys(body), ['errors', 'data'])
          assert.equal(body.errors.length, 1)
          const { path, locations, ...shown } = body.errors[0]
          assert.ok(path.length > 0 && locations.length > 0)
          assert.deepEqual(shown, FAULT)
        }
        await until(() => reported() - before === told.length, { what: 'each in the log' })
      } finally {
        await runBeside(server, `alter table ${table}_away rename to ${table}`)
      }
      const after = await ask('', '{ leaves { data { attributes { name } } } }')
      assert.deepEqual(after.body, {
        data: { leaves: { data: [{ attributes: { name: 'green' } }] } },
      })
    })

    await t.test('graphql 14: so it is when the caller cannot be looked up', async () => {
      await runBeside(server, 'alter table access_keys rename to access_keys_away')
      try {
        const { status, body } = await ask('', '{ leaves { data { id } } }', `sk_${'x'.repeat(48)}`)
        assert.equal(status, 503)
        assert.deepEqual(body, {
          errors: [{ ...FAULT, message: 'Keys cannot be looked up right now' }],
        })
      } finally {
        await runBeside(server, 'alter table access_keys_away rename to access_keys')
      }
    })
  })
}
