import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdempotency } from '#http'
import { renderError } from '#http-text'
import { random } from '#kernel'
import { createSecretBox } from '#secrets'
import { openTestDatabase, silentLog } from '#test-kit'
import { startHttp } from '../../conformance/support/http-server.ts'

test('what is kept for a key is the answer before compression, and each client chooses its own', async (t) => {
  const { database } = await openTestDatabase('sqlite')
  const secrets = createSecretBox({ current: random.bytes(32), random })
  const text = 'Harbour cranes '.repeat(200)
  let calls = 0
  const { url } = await startHttp(t, {
    mounts: [
      {
        prefix: '/api/v1',
        renderError,
        idempotency: {
          idempotency: createIdempotency({ db: database, owner: 'a', random, secrets }),
          userOf: () => 7,
          log: silentLog,
        },
        plugin: (app) => {
          app.post('/things', { config: { idempotent: true } }, async (_request, reply) => {
            reply.code(201).header('location', '/api/v1/things/1')
            return { data: { id: ++calls, text } }
          })
        },
      },
    ],
  })
  const post = (coding: string) =>
    fetch(`${url}/api/v1/things`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k', 'accept-encoding': coding },
    })
  for (const coding of ['br', 'gzip', 'identity']) {
    const answer = await post(coding)
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('content-encoding'), coding === 'identity' ? null : coding)
    assert.equal(answer.headers.get('location'), '/api/v1/things/1')
    assert.equal(answer.headers.get('idempotent-replayed'), coding === 'br' ? null : 'true')
    assert.deepEqual(await answer.json(), { data: { id: 1, text } })
  }
  assert.equal(calls, 1)
})
