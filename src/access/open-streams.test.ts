import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { type Actor, DomainError, random } from '#kernel'
import { silentLog } from '#test-kit'
import { watchStreams } from './open-streams.ts'

type Deps = Parameters<typeof watchStreams>[0]
type Opened = ReturnType<Deps['eventStreams']['opened']>[number]

test('all open streams are looked up together, and those that are refused end', async (t) => {
  const users = [1, 2, 3, 4]
  const ended: number[] = []
  const asked: number[] = []
  const all = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const streams = users.map((userId) => opened(userId, () => over.resolve(void ended.push(userId))))
  const watch = watchStreams({
    ...{ log: silentLog, random, now: () => 0 },
    bus: { subscribe: () => () => {} },
    eventStreams: { opened: () => streams },
    directory: { findById: () => null, onChange: () => () => {} },
    users: { find: async () => undefined },
    async authenticate({ actor }) {
      asked.push(actor?.userId ?? 0)
      if (asked.length === users.length) all.resolve()
      // Nobody is told before everybody has asked.
      await all.promise
      if (!actor || actor.userId === 3) throw new DomainError('forbidden', 'over', 'It is over')
      return { actor, key: null }
    },
  })
  t.after(() => watch.stop())
  await over.promise
  assert.deepEqual(asked, users)
  assert.deepEqual(ended, [3])
})

function opened(userId: number, end: () => void): Opened {
  const actor: Actor = {
    ...{ userId, consumerId: '', apiKeyId: null, planId: null },
    ...{ access: 'read', kind: 'cookie' },
  }
  const stream = { end, send: () => true, drained: async () => {}, isOpen: true }
  return { stream, request: { actor } as unknown as FastifyRequest }
}
