import assert from 'node:assert/strict'
import { before, describe } from 'node:test'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  type Sent,
  shareServer,
  startServer,
} from '#test-kit'

export const ADMIN_EMAIL = 'ada@example.org'
export const ADMIN_PASSWORD = 'correct horse battery'

export type CommerceServer = ReturnType<typeof commerceServer>

/** One server for all tests of a `describe`, with the starter types and keys of both lower levels. */
export function commerceServer(kind: DatabaseKind, more: Record<string, string> = {}) {
  const keys = { write: '', read: '' }
  const server = shareServer(async () => startServer(await commerceInstallation(kind, more)))
  const calls = caller(() => server().url)
  before(async () => {
    const figures = { name: 'Test', requests_per_month: -1, requests_per_minute: -1 }
    const plan = await calls.ok('POST', '/api/v1/plans', { body: figures })
    for (const access of ['write', 'read'] as const) {
      const body = { plan_id: plan.data.id, access }
      keys[access] = (await calls.ok('POST', '/api/v1/keys', { body })).data.key
    }
  })
  return { kind, server, keys, ...calls }
}

/** What a server begins with. */
export const SEEDED = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_ADMIN_EMAIL: ADMIN_EMAIL,
  ENTREPOT_ADMIN_PASSWORD: ADMIN_PASSWORD,
  ENTREPOT_STARTER: 'types',
}

export function commerceInstallation(kind: DatabaseKind, more: Record<string, string> = {}) {
  return installation(kind, { ...SEEDED, ...more })
}

/** Suites share the server and its products: each has SKUs of its own. */
export function commerceSuite(name: string, define: (commerce: CommerceServer) => void) {
  return (commerce: CommerceServer) => describe(name, () => define(commerce))
}

/** Shorthands for calls of one server, with the admin key unless another credential is sent. */
export function caller(url: () => string) {
  const { call, ok } = createCalls(url)
  return { call, ok, save, one, refused }

  /** The product as it is answered. */
  function save(product: object, sent: Sent = {}) {
    return ok('POST', '/rest/V1/products', { ...sent, body: { product } })
  }

  function one(sku: string, sent: Sent = {}) {
    return ok('GET', `/rest/V1/products/${encodeURIComponent(sku)}`, sent)
  }

  /** The body of an answer that must have this status and the dialect's error shape. */
  async function refused(status: number, method: string, path: string, sent: Sent = {}) {
    const answer = await call(method, path, sent)
    const told = `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`
    assert.equal(answer.status, status, told)
    assert.equal(typeof answer.body?.message, 'string', told)
    return answer.body
  }
}

/** Somebody else who may write, and a key of his. */
export async function anotherUser({ ok }: Pick<CommerceServer, 'ok'>, email: string) {
  const { data: user } = await ok('POST', '/api/v1/users', { body: { email, access: 'write' } })
  const figures = { name: email, requests_per_month: -1, requests_per_minute: -1 }
  const { data: plan } = await ok('POST', '/api/v1/plans', { body: figures })
  const asked = { plan_id: plan.id, user_id: user.id, access: 'write' }
  const { key } = (await ok('POST', '/api/v1/keys', { body: asked })).data
  return { user, key: String(key) }
}
