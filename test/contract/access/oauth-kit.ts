import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { ADMIN_KEY } from '#test-kit'
import type { AccessServer } from './support.ts'

type Json = Record<string, unknown>

export interface TestClient {
  readonly id: number
  readonly client_id: string
  readonly client_secret: string
  readonly api_key_id: number
  readonly user_id: number
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

let addresses = 0

/** What the tests of OAuth need of a server. */
export function oauthOf({ server, afterChange }: Pick<AccessServer, 'server' | 'afterChange'>) {
  // Each test counts its failures on an address of its own.
  const address = `10.0.${process.pid % 250}.${++addresses}`
  let url: string | undefined
  return {
    get server() {
      return server()
    },
    /** Of two nodes always the same, for clients that do not wait until both know a change. */
    get url() {
      url ??= server().url
      return url
    },
    ...{ adminKey: ADMIN_KEY, api, asAdmin, post, token, user, plan, client },
  }

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', address)
    const answer = await fetch(`${server().url}${path}`, { ...init, headers })
    const text = await answer.text()
    if (answer.ok && (init.method ?? 'GET') !== 'GET') await afterChange()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: isJson ? JSON.parse(text) : {},
    }
  }

  /** A call of `/api/v1` with any bearer credential. */
  function api(bearer: string, method: string, path: string, body?: Json) {
    return send(`/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  }

  /** The same by the admin; anything but success fails the test. */
  async function asAdmin(method: string, path: string, body?: Json): Promise<Json> {
    const answer = await api(ADMIN_KEY, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.status === 204 ? {} : Object(answer.json['data'])
  }

  function post(
    path: string,
    form: Record<string, string> | string,
    headers: Record<string, string> = {},
  ) {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString()
    return send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })
  }

  async function token({ client_id, client_secret }: TestClient, scope?: string): Promise<string> {
    const answer = await post('/oauth/token', {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      ...(scope === undefined ? {} : { scope }),
    })
    assert.equal(answer.status, 200, answer.text)
    return String(answer.json['access_token'])
  }

  async function user(access: string): Promise<number> {
    const email = `${randomBytes(6).toString('hex')}@example.test`
    return Number((await asAdmin('POST', '/users', { email, access }))['id'])
  }

  async function plan(figures: Json = {}): Promise<number> {
    const created = await asAdmin('POST', '/plans', {
      name: randomBytes(6).toString('hex'),
      requests_per_month: -1,
      requests_per_minute: -1,
      ...figures,
    })
    return Number(created['id'])
  }

  async function client(input: Json = {}): Promise<TestClient> {
    const created = await asAdmin('POST', '/oauth/clients', {
      name: 'corporate',
      user_id: await user('write'),
      plan_id: await plan(),
      scopes: ['read', 'write'],
      ...input,
    })
    return {
      id: Number(created['id']),
      client_id: String(created['client_id']),
      client_secret: String(created['client_secret']),
      api_key_id: Number(created['api_key_id']),
      user_id: Number(created['user_id']),
    }
  }
}

export type OAuthServer = ReturnType<typeof oauthOf>

export function basic({
  client_id,
  client_secret,
}: Pick<TestClient, 'client_id' | 'client_secret'>) {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('_', '%5F')
  const text = `${encode(client_id)}:${encode(client_secret)}`
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}
