import { isObject } from '#kernel'
import type { PluginDefinition, WriteTools } from '../plane/plugin.ts'
import type { JsonObject } from '../resources/values.ts'
import apiBreaker from './api-breaker.ts'
import basicAuth from './basic-auth.ts'
import consumerRestriction from './consumer-restriction.ts'
import cors from './cors.ts'
import fileLogger from './file-logger.ts'
import httpLogger from './http-logger.ts'
import ipRestriction from './ip-restriction.ts'
import jwtAuth from './jwt-auth.ts'
import keyAuth from './key-auth.ts'
import limitConn from './limit-conn.ts'
import limitReq from './limit-req.ts'
import openidConnect from './openid-connect.ts'
import planAccess from './plan-access.ts'
import prometheus from './prometheus.ts'
import proxyCache from './proxy-cache.ts'
import proxyRewrite from './proxy-rewrite.ts'
import rateLimiting from './rate-limiting.ts'
import realIp from './real-ip.ts'
import redirect from './redirect.ts'
import requestId from './request-id.ts'
import requestValidation from './request-validation.ts'
import responseRewrite from './response-rewrite.ts'
import serverlessPostFunction from './serverless-post-function.ts'
import serverlessPreFunction from './serverless-pre-function.ts'
import trafficSplit from './traffic-split.ts'
import uriBlocker from './uri-blocker.ts'

interface Alias {
  /** Runs, and wins over other owners, as the plugin itself does. */
  readonly of: string
  /** Of members that existing configurations rely on under this name. */
  readonly defaults: JsonObject
}

/** Names that existing configurations use for a plugin of ours. */
const ALIASES: ReadonlyMap<string, Alias> = new Map([
  ['limit-count', { of: 'rate-limiting', defaults: { rejected_code: 503 } }],
])

/** Every file of the folder is a plugin and has the plugin's name. */
const PLUGINS: readonly PluginDefinition[] = [
  apiBreaker,
  basicAuth,
  consumerRestriction,
  cors,
  fileLogger,
  httpLogger,
  ipRestriction,
  jwtAuth,
  keyAuth,
  limitConn,
  limitReq,
  planAccess,
  prometheus,
  openidConnect,
  proxyCache,
  proxyRewrite,
  rateLimiting,
  realIp,
  redirect,
  requestId,
  requestValidation,
  responseRewrite,
  serverlessPostFunction,
  serverlessPreFunction,
  trafficSplit,
  uriBlocker,
]

export interface Plugins {
  /** Under a second name the plugin keeps its own `name`. */
  find(name: string): PluginDefinition | undefined
  /** Highest priority first. */
  readonly all: readonly PluginDefinition[]
  /** The same by every name they may be given, second names included. */
  readonly named: readonly (readonly [name: string, plugin: PluginDefinition])[]
  /** What settings are checked with. */
  readonly tools: WriteTools
}

/** Where nothing is written, such as in a gateway thread, nothing is checked either. */
const NO_TOOLS: WriteTools = {
  scripts: { findFailure: () => null },
  logPathFault: () => null,
}

export function loadPlugins(tools: WriteTools = NO_TOOLS): Plugins {
  const all = PLUGINS.toSorted((a, b) => b.priority - a.priority)
  const byName = new Map(all.map((plugin) => [plugin.name, plugin]))
  for (const [name, { of, defaults }] of ALIASES) {
    const plugin = byName.get(of)
    if (plugin) byName.set(name, withDefaults(plugin, defaults))
  }
  const named = [...byName].sort(([, a], [, b]) => b.priority - a.priority)
  return { all, named, tools, find: (name) => byName.get(name) }
}

function withDefaults(plugin: PluginDefinition, defaults: JsonObject): PluginDefinition {
  const setup: PluginDefinition['setup'] = (conf, deps) =>
    plugin.setup(isObject(conf) ? { ...defaults, ...conf } : conf, deps)
  return { ...plugin, setup }
}

/** The plugin's own name. */
export function ownName(name: string): string {
  return ALIASES.get(name)?.of ?? name
}
