import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CachedResponse } from '#http'
import { renderError } from '#http-text'
import { startHttp } from '../../conformance/support/http-server.ts'

const TEXT = 'Harbour cranes é '.repeat(2_000)

test('reads 3: routes that say nothing of it, failures and other methods are never cached', async (t) => {
  const { url, kept } = await start(t)
  for (const path of ['/plain', '/unsure', '/failing']) await fetch(`${url}${path}`)
  await fetch(`${url}/list`, { method: 'POST' })
  assert.equal(kept.size, 0)
  await fetch(`${url}/list`)
  assert.equal(kept.size, 1)
})

test('reads 3: what cannot be metered is refused, and those it would have left with are sent', async (t) => {
  const { url } = await start(t)
  await fetch(`${url}/list`)
  const ask = async (headers = {}) => (await fetch(`${url}/list`, { headers })).status
  const statuses = await Promise.all([ask(), ask({ 'x-fail': '1' }), ask(), ask()])
  assert.deepEqual(statuses, [200, 500, 200, 200])
})

async function start(t: Parameters<typeof startHttp>[0]) {
  const kept = new Map<string, CachedResponse>()
  const failed = new WeakSet<object>()
  const cache = { headers: [], seen: () => '' }
  const { url } = await startHttp(t, {
    mounts: [
      {
        prefix: '/api',
        renderError,
        cache: {
          find: (key) => kept.get(key),
          isAskedAgain: () => true,
          begin: () => ({ since: 0, atMs: 0 }),
          keep: (key, _begun, _madeFrom, response) => void kept.set(key, response),
        },
        guard: {
          onRequest: (_request, _reply, done) => done(),
          onSend(request, _reply, payload, done) {
            if (request.headers['x-fail'] && !failed.has(request)) {
              failed.add(request)
              throw new Error('no room in the journal')
            }
            done(null, payload)
          },
        },
        plugin: (app) => {
          app.get('/plain', async (request) => {
            request.madeFrom = [1]
            return TEXT
          })
          app.get('/unsure', { config: { cache } }, async () => TEXT)
          app.get('/failing', { config: { cache } }, async (request) => {
            request.madeFrom = [1]
            throw new Error('broken')
          })
          app.route({
            ...{ method: ['GET', 'POST'], url: '/list', config: { cache } },
            handler: async (request) => {
              request.madeFrom = [1]
              return TEXT
            },
          })
        },
      },
    ],
  })
  return { url: `${url}/api`, kept }
}
