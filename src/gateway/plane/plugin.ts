import type { Static, TSchema } from 'typebox'
import type { ThreadAccess } from '#access-thread'
import type { SharedCounters } from '#counters'
import type { Clock, Log } from '#kernel'
import type { RedisPool } from '../limits/redis.ts'
import type { Loggers } from '../loggers/index.ts'
import type { CallAnswer, CallRequest, Purge } from '../protocol.ts'
import { conforms } from '../resources/check.ts'
import type { JsonObject, UpstreamValue } from '../resources/values.ts'
import type { ScriptFailure, ScriptSource } from '../scripts/engine.ts'
import type { Scripts } from '../scripts/scripts.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Context } from './context.ts'

/** What a plugin needs beside the request. */
export interface PluginDeps {
  /** Who owns the settings, such as `routes/7`: counters and cursors go by it. */
  readonly owner: string
  /** The plugin's own name. */
  readonly plugin: string
  readonly log: Log
  /** Adds one to a metric; label values are names of the configuration. */
  count(metric: string, labels: Readonly<Record<string, string>>, by?: number): void
  readonly scripts: Scripts
  readonly loggers: Loggers
  /** The plugin's `plugin_metadata`, as it is now. */
  metadata(): JsonObject | undefined
  /** A position in a cycle, exact over all threads. */
  cursor(name: string, length: number): number
  /**
   * Counts that are exact over all threads of the process and survive an orderly restart. Names are
   * the plugin's own: no other plugin, and nothing else that counts, meets them.
   */
  readonly counters: PluginCounters
  /** Another number once a thread of the gateway has ended; see `memory.ts`. */
  generation(): number
  /** Connections to the Redis servers that settings name, shared by all settings of the thread. */
  readonly redis: RedisPool
  readonly clock: Clock
  /** The upstreams that the settings name or hold. */
  readonly upstreams: PluginUpstreams
  /** Keys, limits and usage of those the operator sells to. */
  readonly access: ThreadAccess
  /** Whether a guard has taken this part of the settings out of use, until their next edit. */
  isAborted(part: string): boolean
  /** Takes a part of the settings out of use, everywhere and for good. */
  abort(part: string, found: { readonly requests: number; readonly errors: number }): void
  /** Grows with every edit of the owner. */
  readonly edition: number
  /** Of this gateway; null when it has none. */
  readonly tlsPort: number | null
  /** An outgoing call, made once for all threads that want the same; never rejects. */
  call(request: CallRequest): Promise<CallAnswer>
  /** The same on all threads and nodes, also after a restart. */
  readonly sessionKey: Uint8Array
  /** The answers this thread keeps. */
  readonly cache: AnswerCache
  /** Makes all threads of all nodes forget answers. */
  purge(purge: Purge): void
}

/** Decided at once; `add` throws `counters_full` when a new counter finds no place. */
export interface PluginCounters {
  add: SharedCounters['addSync']
  read: SharedCounters['readSync']
  update: SharedCounters['updateSync']
}

interface PluginUpstreams {
  has(id: string): boolean
  /** One that is named by id, as it is when the request asks. */
  byId(ctx: Context, id: string): void
  /** One inside the settings, by its place in them. */
  inline(place: string, value: UpstreamValue): (ctx: Context) => void
}

export interface PluginAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Further ones, names and values in turn: in this order, and repeated where they repeat. */
  readonly rawHeaders?: readonly string[]
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | JsonObject
}

export type PhaseResult = PluginAnswer | undefined | Promise<PluginAnswer | undefined>

/** What a plugin does, phase by phase (contract §7.1). Nothing returned means: go on. */
export interface PluginPhases {
  rewrite?(ctx: Context): PhaseResult
  access?(ctx: Context): PhaseResult
  beforeProxy?(ctx: Context): PhaseResult
  /**
   * May change `ctx.status` and `ctx.headers`; also runs for answers of the gateway itself. One that
   * takes its time holds its own answer back and nothing else.
   */
  headerFilter?(ctx: Context): void | Promise<void>
  log?(ctx: Context): void | Promise<void>
}

/** A part of the settings with a slot in the shared memory, or that names an upstream. */
export interface PluginPlace {
  readonly name: string
  readonly upstream?: UpstreamValue
  readonly upstreamId?: string
}

/** What settings are checked with where they are written. */
export interface WriteTools {
  readonly scripts: { findFailure(source: ScriptSource): ScriptFailure | null }
  /** Why a file cannot be written to; null when it can. */
  logPathFault(path: string): string | null
}

/** Finds faults that a schema cannot express; the path is inside the settings. */
type PluginFaults = { readonly path: string; readonly message: string }[]

export interface PluginDefinition {
  readonly name: string
  readonly priority: number
  readonly schema: TSchema
  readonly consumerSchema?: TSchema
  /** It says who calls: it is an authentication plugin. */
  readonly authenticates: boolean
  /** Members that are encrypted at rest and hidden from viewers. */
  readonly secrets: readonly string[]
  findFaults(conf: unknown, isConsumer: boolean, tools: WriteTools): PluginFaults
  /** It needs the body of the request, up to a size. */
  readsBody(conf: unknown): boolean
  /** The parameter of the query in which it takes a credential. */
  credentialArgument(conf: unknown): string | undefined
  /** Members that are refused by name because they would be stored and do nothing. */
  findUnsupported(conf: Readonly<Record<string, unknown>>, isConsumer: boolean): PluginFaults
  places(conf: unknown): readonly PluginPlace[]
  setup(conf: unknown, deps: PluginDeps): PluginPhases
}

/**
 * Members that the plugin of this name has in existing configurations and that do nothing here, each
 * with the value that means the same as leaving it out: that one is let through.
 */
type Unsupported = ReadonlyMap<string, unknown>

const NOTHING: Unsupported = new Map()

interface PluginSource<S extends TSchema, C extends TSchema> {
  /** Equals the file name. */
  readonly name: string
  /** Higher runs earlier; unique. */
  readonly priority: number
  readonly schema: S
  readonly consumerSchema?: C
  readonly secrets?: readonly string[]
  readonly authenticates?: boolean
  readonly unsupported?: Unsupported
  readonly consumerUnsupported?: Unsupported
  findFaults?(conf: Static<S>, tools: WriteTools): PluginFaults
  findConsumerFaults?(conf: Static<C>): PluginFaults
  places?(conf: Static<S>): readonly PluginPlace[]
  readsBody?(conf: Static<S>): boolean
  credentialArgument?(conf: Static<S>): string
  /** Once per settings: parse and precompute here. */
  setup(conf: Static<S>, deps: PluginDeps): PluginPhases
}

export function definePlugin<S extends TSchema, C extends TSchema = TSchema>(
  source: PluginSource<S, C>,
): PluginDefinition {
  const { name, priority, schema, consumerSchema } = source
  return {
    name,
    priority,
    schema,
    ...(consumerSchema ? { consumerSchema } : {}),
    authenticates: source.authenticates ?? false,
    secrets: source.secrets ?? [],
    findFaults,
    findUnsupported,
    readsBody: (conf) => conforms(schema, conf) && (source.readsBody?.(conf) ?? false),
    credentialArgument: (conf) =>
      conforms(schema, conf) ? source.credentialArgument?.(conf) : undefined,
    places: (conf) => (conforms(schema, conf) ? (source.places?.(conf) ?? []) : []),
    setup,
  }

  function findFaults(conf: unknown, isConsumer: boolean, tools: WriteTools): PluginFaults {
    if (isConsumer && consumerSchema) {
      return conforms(consumerSchema, conf) ? (source.findConsumerFaults?.(conf) ?? []) : []
    }
    return conforms(schema, conf) ? (source.findFaults?.(conf, tools) ?? []) : []
  }

  function findUnsupported(conf: Readonly<Record<string, unknown>>, isConsumer: boolean) {
    const members =
      (isConsumer && consumerSchema ? source.consumerUnsupported : source.unsupported) ?? NOTHING
    return Object.entries(conf)
      .filter(([member, value]) => members.has(member) && value !== members.get(member))
      .map(([member]) => ({ path: `/${member}`, message: 'is not supported here' }))
  }

  function setup(conf: unknown, deps: PluginDeps): PluginPhases {
    if (conforms(schema, conf)) return source.setup(conf, deps)
    throw new Error(`the settings of ${name} are not valid`)
  }
}
