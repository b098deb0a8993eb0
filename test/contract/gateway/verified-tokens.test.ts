import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { CLIENT, startProvider, type TestProvider } from './openid-provider.ts'
import { gatewayServer, startUpstream, type Upstream } from './support.ts'

/**
 * A token that was accepted before is answered as one that nobody has seen: with the same claims, signed
 * by the same key, at the same moment, and different in nothing but its id.
 */
describe('gateway tokens that were verified', () => {
  const { server, admin, put, send } = gatewayServer('sqlite', { ENTREPOT_GATEWAY_THREADS: '2' })
  let upstream: Upstream
  let provider: TestProvider
  before(async () => {
    upstream = await startUpstream()
    provider = await startProvider([`${server().gatewayUrl}/oidc/.gateway/redirect`], 'http://x/')
    await put('/upstreams/up', { nodes: { [upstream.node]: 1 } })
  })

  const startedAt = Math.floor(Date.now() / 1000)
  let offsetSeconds = 0
  const now = () => Date.now() / 1000 + offsetSeconds
  const move = async (seconds: number) => {
    offsetSeconds = seconds
    await server().setClockOffset(seconds * 1000)
  }
  const status = async (path: string, token: string) => {
    const answer = await send(path, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    return answer.status
  }
  /** Too near to a limit of the claims to say which side an answer falls on. */
  const isClose = (claims: Claims, grace: number) =>
    [claims.exp + grace, (claims.nbf ?? 0) - grace].some((at) => Math.abs(at - now()) < 5)

  test('gateway 22: jwt-auth: warm and cold tokens agree while clock, consumer and credential change', async () => {
    const random = createRandom(7)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    await put('/routes/jwt', { uri: '/jwt', upstream_id: 'up', plugins: { 'jwt-auth': {} } })
    const tokens = [50, 400, 900].flatMap((end) =>
      [undefined, 100].flatMap((begin) =>
        ['one', 'two'].map((secret) => {
          const nbf = begin === undefined ? {} : { nbf: startedAt + begin }
          const claims: Claims = { key: 'k', exp: startedAt + end, ...nbf }
          return { claims, secret, text: hs256({ ...claims, jti: 'warm' }, secret) }
        }),
      ),
    )
    let consumer: { secret: string; grace: number } | null = null
    const seen = { 200: 0, 401: 0 }
    for (let round = 0; round < 300; round++) {
      if (round % 4 === 0) await move(pick([0, 30, 60, 120, 380, 420, 890, 920, 1000]))
      if (round % 6 === 0) {
        const change = pick(['write', 'write', 'delete', 'credential'] as const)
        consumer =
          change === 'delete' ? null : { secret: pick(['one', 'two']), grace: pick([0, 30]) }
        const { secret = '', grace = 0 } = consumer ?? {}
        const settings = { key: 'k', secret, lifetime_grace_period: grace }
        await admin('DELETE', '/consumers/who')
        if (change === 'write') await put('/consumers/who', { plugins: { 'jwt-auth': settings } })
        if (change === 'credential') {
          await put('/consumers/who', { plugins: {} })
          await put('/consumers/who/credentials/c', { plugins: { 'jwt-auth': settings } })
        }
      }
      const { claims, secret, text } = pick(tokens)
      if (isClose(claims, consumer?.grace ?? 0)) continue
      const cold = hs256({ ...claims, jti: randomUUID() }, secret)
      const answers = [
        await status('/jwt', text),
        await status('/jwt', cold),
        await status('/jwt', text),
      ]
      const isGood: boolean =
        consumer !== null && consumer.secret === secret && isTimely(claims, consumer.grace)
      const about: string = JSON.stringify({
        round,
        claims,
        secret,
        consumer,
        at: now() - startedAt,
      })
      assert.deepEqual(answers, Array(3).fill(isGood ? 200 : 401), about)
      seen[isGood ? 200 : 401]++
    }
    assert.ok(seen[200] > 10 && seen[401] > 10, JSON.stringify(seen))
    await move(0)
  })

  test('gateway 26: openid-connect: warm and cold tokens agree while clock, settings and keys change', async () => {
    const random = createRandom(11)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    const write = (issuers: string[] | null) =>
      put('/routes/oidc', {
        uri: '/oidc*',
        upstream_id: 'up',
        plugins: {
          'openid-connect': {
            ...{ discovery: provider.discovery, ...CLIENT, bearer_only: true, use_jwks: true },
            ...(issuers ? { claim_validator: { issuer: { valid_issuers: issuers } } } : {}),
          },
        },
      })
    await write(null)
    const specs: Claims[] = [60, 500, 1_500].flatMap((end) => [
      { exp: startedAt + end },
      { exp: startedAt + end, nbf: startedAt + 200 },
    ])
    const warm = await Promise.all(
      specs.map(async (claims) => ({ claims, text: await provider.sign({ ...claims }) })),
    )
    let isOther = false
    const seen = { 200: 0, 401: 0 }
    for (let round = 0; round < 240; round++) {
      if (round % 3 === 0) await move(pick([0, 30, 100, 220, 480, 520, 1_480, 1_520]))
      if (round % 40 === 39) {
        isOther = random() < 0.4
        await write(isOther ? ['https://another.example'] : null)
      }
      const { claims, text } = pick(warm)
      if (isClose(claims, 0)) continue
      const cold = await provider.sign({ ...claims, jti: randomUUID() })
      const answers = [
        await status('/oidc', text),
        await status('/oidc', cold),
        await status('/oidc', text),
      ]
      const isGood: boolean = !isOther && isTimely(claims, 0)
      const about: string = JSON.stringify({ round, claims, isOther, at: now() - startedAt })
      assert.deepEqual(answers, Array(3).fill(isGood ? 200 : 401), about)
      seen[isGood ? 200 : 401]++
    }
    assert.ok(seen[200] > 5 && seen[401] > 5, JSON.stringify(seen))
    await move(0)
  })

  function isTimely({ exp, nbf }: Claims, grace: number): boolean {
    return exp > now() - grace && (nbf === undefined || nbf <= now() + grace)
  }
})

interface Claims {
  readonly key?: string
  readonly exp: number
  readonly nbf?: number
}

function hs256(claims: object, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** The same numbers in every run, so that a failure can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
