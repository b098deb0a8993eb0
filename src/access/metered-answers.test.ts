import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createHttpServer } from '#http'
import { renderError } from '#http-text'
import { createJournalWriter, openJournal } from '#journal'
import { createClock, createIds, random } from '#kernel'
import { silentLog, temporaryDirectory } from '#test-kit'
import { createMeters } from './metered-answers.ts'
import { encodeUsage } from './usage/index.ts'

test('answers of one turn are each recorded once, before they are received', async () => {
  const { url, recorded } = await serve()
  const answers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const answer = await fetch(`${url}/plain`)
      const id = answer.headers.get('x-request-id') ?? ''
      assert.deepEqual(await answer.json(), { data: 1 })
      return { id, count: recorded(id) }
    }),
  )
  assert.deepEqual(new Set(answers.map(({ count }) => count)), new Set([1]))
})

test('an answer that cannot be sent becomes an error, and the server goes on', async () => {
  const { url, recorded } = await serve()
  const broken = await fetch(`${url}/broken`, { headers: { 'x-request-id': 'broken-one' } })
  assert.equal(broken.status, 500)
  assert.equal(recorded('broken-one'), 1)
  assert.equal((await fetch(`${url}/plain`)).status, 200)
})

test('an answer whose record cannot be written is not sent', async () => {
  const { url, writer } = await serve({ maxTotalBytes: 1 })
  await assert.rejects(fetch(`${url}/plain`))
  assert.equal(writer.hasRoom(), true)
})

/** Every request is that of a key. */
async function serve({ maxTotalBytes = 2 ** 20 } = {}) {
  const clock = createClock()
  // Hooks run in the order they were added, and that of the directory removes it.
  after(async () => {
    await app.close()
    writer.close()
    journal.close()
  })
  const directory = temporaryDirectory()
  const journal = openJournal({ directory, clock, random, maxTotalBytes })
  const writer = createJournalWriter({
    address: journal.address,
    name: 'api',
    clock,
    log: silentLog,
  })
  const meters = createMeters({
    clock,
    sink: {
      append: (entry) => writer.append(encodeUsage(entry)),
      appendSoon: (entry, written) => writer.appendSoon(encodeUsage(entry), written),
      hasRoom: writer.hasRoom,
    },
  })
  const app = await createHttpServer({
    log: silentLog,
    ids: createIds({ clock, random }),
    mounts: [
      {
        prefix: '/',
        renderError,
        guard: {
          onRequest(request, reply, done) {
            meters.start(request, reply, KEY)
            done()
          },
          onSend: meters.onSend,
        },
        plugin(scope) {
          scope.get('/plain', async () => ({ data: 1 }))
          scope.get('/broken', async (_request, reply) => {
            reply.header('x-broken', 'two\nlines')
            return { data: 1 }
          })
        },
      },
    ],
  })
  app.decorateRequest('meter', null)
  app.decorateRequest('usageEndpoint', null)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, writer, recorded }

  function recorded(requestId: string): number {
    const segments = readdirSync(directory).filter((file) => file.endsWith('.journal'))
    const text = segments.map((file) => readFileSync(join(directory, file), 'latin1'))
    return text.join('').split(`"${requestId}"`).length - 1
  }
}

const KEY = {
  id: 7,
  userId: 3,
  access: 'read',
  expiresAtMs: null,
  plan: {
    id: 2,
    name: 'Starter',
    requestsPerMonth: 10_000,
    requestsPerMinute: 60,
    permits: () => true,
  },
  steps: [],
} as const
