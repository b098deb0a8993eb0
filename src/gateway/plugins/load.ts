import type { PluginDefinition, WriteTools } from '../plane/plugin.ts'
import fileLogger from './file-logger.ts'
import httpLogger from './http-logger.ts'
import ipRestriction from './ip-restriction.ts'
import jwtAuth from './jwt-auth.ts'
import keyAuth from './key-auth.ts'
import planAccess from './plan-access.ts'
import prometheus from './prometheus.ts'
import proxyRewrite from './proxy-rewrite.ts'
import redirect from './redirect.ts'
import requestId from './request-id.ts'
import responseRewrite from './response-rewrite.ts'
import serverlessPostFunction from './serverless-post-function.ts'
import serverlessPreFunction from './serverless-pre-function.ts'
import trafficSplit from './traffic-split.ts'

/** Names that existing configurations use for a plugin of ours. */
const ALIASES: ReadonlyMap<string, string> = new Map([['limit-count', 'rate-limiting']])

/** Every file of the folder is a plugin and has the plugin's name. */
const PLUGINS: readonly PluginDefinition[] = [
  fileLogger,
  httpLogger,
  ipRestriction,
  jwtAuth,
  keyAuth,
  planAccess,
  prometheus,
  proxyRewrite,
  redirect,
  requestId,
  responseRewrite,
  serverlessPostFunction,
  serverlessPreFunction,
  trafficSplit,
]

export interface Plugins {
  find(name: string): PluginDefinition | undefined
  /** Highest priority first. */
  readonly all: readonly PluginDefinition[]
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
  return { all, tools, find: (name) => byName.get(ALIASES.get(name) ?? name) }
}
