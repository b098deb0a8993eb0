import type { PluginDefinition } from '../plane/plugin.ts'
import ipRestriction from './ip-restriction.ts'
import jwtAuth from './jwt-auth.ts'
import keyAuth from './key-auth.ts'
import openidConnect from './openid-connect.ts'
import planAccess from './plan-access.ts'
import proxyCache from './proxy-cache.ts'
import proxyRewrite from './proxy-rewrite.ts'
import redirect from './redirect.ts'
import requestId from './request-id.ts'
import responseRewrite from './response-rewrite.ts'
import trafficSplit from './traffic-split.ts'

/** Names that existing configurations use for a plugin of ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([['limit-count', 'rate-limiting']])

/** Every file of the folder is a plugin and has the plugin's name. */
const PLUGINS: readonly PluginDefinition[] = [
  ipRestriction,
  jwtAuth,
  keyAuth,
  openidConnect,
  planAccess,
  proxyCache,
  proxyRewrite,
  redirect,
  requestId,
  responseRewrite,
  trafficSplit,
]

export interface Plugins {
  find(name: string): PluginDefinition | undefined
  /** Highest priority first. */
  readonly all: readonly PluginDefinition[]
}

export function loadPlugins(): Plugins {
  const all = PLUGINS.toSorted((a, b) => b.priority - a.priority)
  const byName = new Map(all.map((plugin) => [plugin.name, plugin]))
  return { all, find: (name) => byName.get(ALIASES.get(name) ?? name) }
}
