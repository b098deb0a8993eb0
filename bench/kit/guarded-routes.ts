import { generateKeyPairSync, sign } from 'node:crypto'
import type { BenchContext } from './bench.ts'
import type { Target } from './compare.ts'
import { serverSpec } from './entrepot.ts'

const API_KEY = `sk_${'Bench0'.repeat(8)}`
const ADMIN_KEY = 'key of the benchmark'

export const PLAIN = 'product, plain route'
export const GUARDED = 'product, jwt-auth + rate-limiting + cors'
export const SOLD = 'product, plan-access'

/** Routes of the whole product, with one gateway thread, that lead to one backend. */
export async function startGuardedRoutes(
  context: BenchContext,
  origin: string,
): Promise<readonly Target[]> {
  const { spec, url, gatewayUrl } = await serverSpec(context.root, context.temporaryDirectory())
  await context.start({
    ...spec,
    env: {
      ...spec.env,
      ENTREPOT_ADMIN_KEY: API_KEY,
      ENTREPOT_GATEWAY_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_GATEWAY_THREADS: '1',
    },
  })
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const jwt = { key: 'bench', algorithm: 'RS256', public_key: pem }
  await put('upstreams/backend', { nodes: { [new URL(origin).host]: 1 } })
  await put('consumers/bench', { plugins: { 'jwt-auth': jwt } })
  await route('plain', {})
  await route('guarded', {
    'jwt-auth': {},
    'rate-limiting': { count: 1_000_000_000, time_window: 3600, key: 'consumer_name' },
    cors: {
      allow_origins: 'https://bench.example',
      allow_methods: 'GET,POST',
      allow_headers: 'Authorization',
      allow_credential: true,
    },
  })
  await route('sold', { 'plan-access': {} })
  const claims = { key: 'bench', exp: Math.floor(Date.now() / 1000) + 3600 }
  const token = signed({ alg: 'RS256', typ: 'JWT' }, claims)
  const asking = { authorization: `Bearer ${token}`, origin: 'https://bench.example' }
  return [
    { what: PLAIN, url: `${gatewayUrl}/plain/x` },
    { what: GUARDED, url: `${gatewayUrl}/guarded/x`, headers: asking },
    { what: SOLD, url: `${gatewayUrl}/sold/x`, headers: { 'x-api-key': API_KEY } },
  ]

  function route(name: string, plugins: object) {
    return put(`routes/${name}`, { uri: `/${name}/*`, upstream_id: 'backend', plugins })
  }

  async function put(path: string, value: object) {
    const answer = await fetch(`${url}/gateway/admin/${path}`, {
      method: 'PUT',
      headers: { 'x-api-key': ADMIN_KEY },
      body: JSON.stringify(value),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }

  function signed(head: object, body: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part(head)}.${part(body)}`
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }
}
