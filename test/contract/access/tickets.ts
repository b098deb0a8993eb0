import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessSuite } from './support.ts'

export const tickets = accessSuite('stream tickets', ({ server, call, issueKey, createUser }) => {
  async function ticketOf(key: string): Promise<string> {
    const answer = await call('POST', '/stream-tickets', { key })
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.body.data.ticket, /^st_[A-Za-z0-9]{32}$/)
    return answer.body.data.ticket
  }

  /** Opens the stream and leaves at once: only whether it was let in is of interest. */
  async function open(ticket: string): Promise<{ status: number; body: unknown }> {
    const leave = new AbortController()
    const url = `${server().url}/api/v1/usage/stream?ticket=${ticket}`
    const answer = await fetch(url, { signal: leave.signal })
    const body = answer.ok ? null : await answer.json()
    leave.abort()
    return { status: answer.status, body }
  }

  test('access 18: a ticket works once, also for many at once', async () => {
    const ticket = await ticketOf((await issueKey()).key)
    const uses = await Promise.all(Array.from({ length: 5 }, () => open(ticket)))
    assert.deepEqual(uses.map(({ status }) => status).sort(), [200, 401, 401, 401, 401])
    const refused = await open(ticket)
    assert.deepEqual(refused, { status: 401, body: { error: 'Invalid API key' } })
    assert.equal((await open('st_wrong')).status, 401)
  })

  test('a ticket is no credential anywhere else, and is not used up there', async () => {
    const ticket = await ticketOf((await issueKey()).key)
    const elsewhere = await call('GET', `/me?ticket=${ticket}`, { key: null })
    assert.deepEqual([elsewhere.status, elsewhere.body], [401, { error: 'API key required' }])
    assert.equal((await open(ticket)).status, 200)
  })

  test('a ticket lasts a minute', async () => {
    const { key } = await issueKey()
    const early = await ticketOf(key)
    const late = await ticketOf(key)
    await server().setClockOffset(58_000)
    assert.equal((await open(early)).status, 200)
    await server().setClockOffset(60_001)
    assert.equal((await open(late)).status, 401)
    await server().setClockOffset(0)
  })

  test('a ticket ends with the key or the user that asked for it', async () => {
    const revoked = await issueKey()
    const ofRevoked = await ticketOf(revoked.key)
    await call('DELETE', `/keys/${revoked.id}`)
    assert.deepEqual(await open(ofRevoked), {
      status: 403,
      body: { error: 'API key revoked', code: 'key_revoked' },
    })

    const user = await createUser('off@example.com')
    const ofDisabled = await ticketOf((await issueKey({ user_id: user.id })).key)
    await call('PATCH', `/users/${user.id}`, { body: { name: 'still there' } })
    assert.equal((await open(ofDisabled)).status, 200)
    const again = await ticketOf((await issueKey({ user_id: user.id })).key)
    await call('PATCH', `/users/${user.id}`, { body: { status: 'disabled' } })
    assert.equal((await open(again)).status, 401)
  })
})
