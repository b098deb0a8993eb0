// The stored form of every resource, after validation; spelled as on the wire (contract §3).
import { isObject } from '#kernel'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json
}

export interface NodeValue {
  readonly host: string
  readonly port?: number
  readonly weight: number
  readonly priority?: number
}

export interface TimeoutValue {
  readonly connect: number
  readonly send: number
  readonly read: number
}

interface Counts {
  readonly interval?: number
  readonly http_statuses?: readonly number[]
  readonly successes?: number
  readonly http_failures?: number
  readonly tcp_failures?: number
  readonly timeouts?: number
}

export interface ActiveChecks {
  readonly type?: 'http' | 'https' | 'tcp'
  readonly http_path?: string
  readonly http_method?: string
  readonly interval?: number
  readonly timeout?: number
  readonly concurrency?: number
  readonly host?: string
  readonly port?: number
  readonly req_headers?: readonly string[]
  readonly https_verify_certificate?: boolean
  readonly healthy?: Counts
  readonly unhealthy?: Counts
}

export interface Checks {
  readonly active?: ActiveChecks
  readonly passive?: {
    readonly healthy?: Counts
    readonly unhealthy?: Counts
  }
  readonly when_all_unhealthy?: 'fail' | 'use_all'
}

export interface UpstreamTls {
  readonly verify?: boolean
  readonly client_cert?: string
  readonly client_key?: string
  /** Of an `ssl` of the type `client`. */
  readonly client_cert_id?: string | number
}

export interface UpstreamValue {
  readonly type?: string
  readonly nodes?: Readonly<Record<string, number>> | readonly NodeValue[]
  readonly hash_on?: string
  readonly key?: string
  readonly checks?: Checks
  readonly retries?: number
  readonly retry_timeout?: number
  readonly timeout?: TimeoutValue
  readonly pass_host?: 'pass' | 'node' | 'rewrite'
  readonly upstream_host?: string
  readonly scheme?: 'http' | 'https'
  readonly keepalive_pool?: {
    readonly size?: number
    readonly idle_timeout?: number
    readonly requests?: number
  }
  readonly tls?: UpstreamTls
  readonly service_name?: string
  readonly discovery_type?: string
}

export type PluginsValue = Readonly<Record<string, JsonObject>>

export interface RouteValue {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly uri?: string
  readonly uris?: readonly string[]
  readonly methods?: readonly string[]
  readonly host?: string
  readonly hosts?: readonly string[]
  readonly remote_addr?: string
  readonly remote_addrs?: readonly string[]
  readonly vars?: readonly Json[]
  readonly priority?: number
  readonly status?: number
  readonly plugins?: PluginsValue
  readonly upstream_id?: string | number
  readonly upstream?: UpstreamValue
  readonly service_id?: string | number
  readonly plugin_config_id?: string | number
  readonly timeout?: TimeoutValue
  readonly enable_websocket?: boolean
}

export interface ServiceValue {
  readonly name?: string
  readonly plugins?: PluginsValue
  readonly upstream?: UpstreamValue
  readonly upstream_id?: string | number
  readonly hosts?: readonly string[]
  readonly enable_websocket?: boolean
}

export interface ConsumerValue {
  readonly username: string
  readonly plugins?: PluginsValue
  readonly group_id?: string | number
  readonly labels?: Readonly<Record<string, string>>
}

export interface CredentialValue {
  readonly plugins?: PluginsValue
}

export interface PluginsOwner {
  readonly plugins?: PluginsValue
}

export interface SslValue {
  readonly type?: 'server' | 'client'
  readonly sni?: string
  readonly snis?: readonly string[]
  readonly cert: string
  readonly key: string
  readonly certs?: readonly string[]
  readonly keys?: readonly string[]
  readonly status?: number
  readonly ssl_protocols?: readonly string[]
  /** Whose certificates clients have to show. */
  readonly client?: { readonly ca: string; readonly depth?: number }
}

/** Authentication plugins whose consumers are found by a member, which no two of them may share. */
export const CREDENTIAL_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['basic-auth', 'username'],
  ['jwt-auth', 'key'],
  ['key-auth', 'key'],
])

/** By `_meta.disable`. */
export function isDisabled({ _meta: meta }: JsonObject): boolean {
  return isObject(meta) && meta['disable'] === true
}
