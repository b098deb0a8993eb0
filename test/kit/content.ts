import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { createCalls } from './calls.ts'

type Calls = Pick<ReturnType<typeof createCalls>, 'ok'>

/**
 * Tests that share a server with others: they begin with what `prepare` makes and nothing else in the
 * content store, in which ids then start at 1 again, and leave settings and clock as they found them.
 */
export function contentSuite(
  name: string,
  { ok }: Calls,
  { prepare, define }: { prepare(): Promise<void>; define(): void },
): void {
  describe(name, () => {
    before(prepare)
    after(() => emptyContent({ ok }))
    define()
  })
}

/** A relation as it is defined: `relationTo('manyToOne', 'author')`. */
export function relationTo(relation: string, target: string, ends: object = {}) {
  return { type: 'relation', relation, target, ...ends }
}

/** Removes all types with their entries, and then what only they could use. */
async function emptyContent({ ok }: Calls): Promise<void> {
  await remove('content-types', ({ singularName }) => singularName)
  await remove('components', ({ uid }) => uid)
  await remove('locales', ({ code, isDefault }) => (isDefault ? undefined : code))
  while ((await remove('media', ({ id }) => id)) > 0);

  async function remove(kind: string, nameOf: (record: Record<string, unknown>) => unknown) {
    const { data } = await ok('GET', `/api/v1/${kind}`)
    // What was made later may need what was made before it.
    for (const record of data.toReversed()) {
      const name = nameOf(record)
      if (name !== undefined) await ok('DELETE', `/api/v1/${kind}/${name}?force=true`)
    }
    return data.length
  }
}

/** Repeated reads are answered from the cache; they must be answered as the first time. */
export async function assertAnsweredAlike(url: string, paths: readonly string[]): Promise<void> {
  for (const coding of ['identity', 'br']) {
    const ask = (path: string) => told(`${url}${path}`, { 'accept-encoding': coding })
    const first = []
    for (const path of paths) first.push(await ask(path))
    for (const [at, path] of [...paths, ...paths].entries()) {
      assert.deepEqual(await ask(path), first[at % paths.length], path)
    }
  }
}

async function told(url: string, headers: Record<string, string>) {
  const answer = await fetch(url, { headers })
  const text = await answer.text()
  const shown = new Map(answer.headers)
  for (const name of ['date', 'x-request-id', 'keep-alive', 'connection']) shown.delete(name)
  return { status: answer.status, headers: Object.fromEntries(shown), text }
}
