/** What the plugins that limit have in common: members, faults, refusals. */
import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { canonicalJson } from '#kernel'
import type { PluginAnswer } from '../plane/plugin.ts'

export const STORE_MEMBERS = {
  policy: Type.Optional(Type.Enum(['local', 'redis'])),
  redis_host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  redis_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  redis_username: Type.Optional(Type.String({ minLength: 1 })),
  redis_password: Type.Optional(Type.String()),
  redis_database: Type.Optional(Type.Integer({ minimum: 0 })),
  redis_timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
  redis_ssl: Type.Optional(Type.Boolean()),
  redis_ssl_verify: Type.Optional(Type.Boolean()),
  allow_degradation: Type.Optional(Type.Boolean()),
}

export const REJECTED_MEMBERS = {
  rejected_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
  rejected_msg: Type.Optional(Type.String({ minLength: 1 })),
}

const STORE = Type.Object(STORE_MEMBERS)

/** Where a limit is counted when it is not in the memory of the process. */
export type RedisMembers = Static<typeof STORE>

/** Of clusters and of a pool of connections, where one connection carries everything. */
export const STORE_UNSUPPORTED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['redis_cluster_nodes', undefined],
  ['redis_cluster_name', undefined],
  ['redis_cluster_ssl', false],
  ['redis_cluster_ssl_verify', false],
  ['redis_sentinels', undefined],
  ['redis_master_name', undefined],
  ['redis_role', undefined],
  ['redis_keepalive_timeout', 10_000],
  ['redis_keepalive_pool', 100],
])

export function storeFaults({ policy = 'local', redis_host: host }: RedisMembers) {
  if (policy === 'redis' && host === undefined) {
    return [{ path: '/redis_host', message: 'is required with policy redis' }]
  }
  if (policy === 'local' && host !== undefined) {
    return [{ path: '/redis_host', message: 'is of use with policy redis only: set the policy' }]
  }
  return []
}

/** The same for settings that limit alike, wherever their store is reached. */
export function settingsHash(settings: Readonly<Record<string, unknown>>): string {
  const own = Object.entries(settings).filter(([name]) => !name.startsWith('redis_'))
  const text = canonicalJson(Object.fromEntries(own))
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

export function rejection(status: number, message: string | undefined): PluginAnswer {
  return message === undefined ? { status } : { status, body: { error_msg: message } }
}

const UNAVAILABLE: PluginAnswer = {
  status: 500,
  body: { error_msg: 'rate limit store unavailable' },
}

/** What a request gets whose limit cannot be asked for. */
export function withoutStore({ allow_degradation: mayPass }: RedisMembers) {
  return mayPass ? undefined : UNAVAILABLE
}
