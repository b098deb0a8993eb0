import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGraphql, renderGraphqlError } from '#graphql'
import { createHttpServer } from '#http'
import { createClock, createIds, random } from '#kernel'
import { type DatabaseKind, silentLog } from '#test-kit'
import { counted } from '../../conformance/content-query/counted.ts'
import { openStore } from '../../conformance/content-query/open-store.ts'

const LIMITS = {
  ...{ introspection: true, timeoutMs: 10_000, maxTokens: 5_000, maxDepth: 20, maxHops: 5 },
  ...{ maxAliases: 20, maxCost: 10_000 },
}

/** What needs no total, and what needs one, at each endpoint. */
const PICKED: Readonly<Record<string, { without: readonly string[]; with: readonly string[] }>> = {
  '/graphql': {
    without: [
      '{ stories { data { id } } }',
      '{ stories(pagination: { start: 3, limit: 2 }) { data { id } meta { pagination { page pageSize } } } }',
      '{ stories { data { id } meta { pagination { total @skip(if: true) } } } }',
      '{ uploadFiles { data { id } } }',
      '{ writers { data { attributes { stories { data { id } } } } } }',
      '{ writers { data { attributes { stories(pagination: { start: 3 }) { data { id } } } } } }',
    ],
    with: [
      '{ stories { meta { pagination { total } } } }',
      '{ stories { data { id } ...page } } fragment page on StoryEntityResponseCollection { meta { pagination { pageCount } } }',
      '{ uploadFiles { data { id } meta { pagination { total } } } }',
    ],
  },
  '/graphql/offset': {
    without: [
      '{ stories(offset: 3) { items { id } limit offset hasNextPage } }',
      '{ writers { items { stories { items { id } limit offset } } } }',
      '{ writers { items { stories(offset: 3) { items { id } } } } }',
    ],
    with: ['{ stories { total } }', '{ writers { items { stories { total } } } }'],
  },
  '/graphql/connection': {
    without: [
      '{ stories(first: 3) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }',
      '{ stories(last: 3) { edges { node { id } } pageInfo { hasNextPage hasPreviousPage } } }',
      '{ writers { edges { node { stories(first: 3) { edges { node { id } } pageInfo { hasNextPage } } } } } }',
    ],
    with: [
      '{ stories(first: 3) { totalCount } }',
      '{ writers { edges { node { stories { edges { node { id } } totalCount } } } } }',
    ],
  },
}

/** By the statements themselves: where a total is part of its page their number says nothing of it. */
export function totals(kind: DatabaseKind): void {
  test('graphql 13: nothing is counted unless its total is asked for', async (t) => {
    const statements: string[] = []
    const { content } = await openStore(kind, (database) => counted(database, statements))
    const faults: unknown[] = []
    const graphql = createGraphql({
      ...{ content, settings: () => LIMITS, isDevelopment: false },
      report: (error) => void faults.push(error),
      admitForm: async () => {},
    })
    t.after(() => graphql.close())
    const { plugin, onRequest } = graphql
    const app = await createHttpServer({
      ...{ log: silentLog, ids: createIds({ clock: createClock(), random }) },
      mounts: [{ prefix: '/graphql', renderError: renderGraphqlError, onRequest, plugin }],
    })
    t.after(() => app.close())
    for (const [url, picked] of Object.entries(PICKED)) {
      for (const query of picked.without) assert.deepEqual(await countsFor(url, query), [], query)
      for (const query of picked.with) assert.equal((await countsFor(url, query)).length, 1, query)
    }

    /** Statements that count, of those that an answer without errors took. */
    async function countsFor(url: string, query: string): Promise<string[]> {
      statements.length = 0
      const answer = await app.inject({ method: 'POST', url, payload: { query } })
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(answer.json().errors, undefined, `${answer.body} ${faults}`)
      assert.ok(statements.length > 0, 'the store was asked')
      return statements.filter((text) => /count\(/i.test(text))
    }
  })
}
