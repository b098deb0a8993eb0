import type { MessagePort } from 'node:worker_threads'
import type { AccessAnswer, AccessQuestion, Changed, LimitSettings } from '#access-thread'
import type { StoreFailurePolicy } from '#counters'
import type { JournalAddress } from '#journal'
import type { KeyPair } from '#kernel'
import type {
  ConsumerValue,
  CredentialValue,
  JsonObject,
  NodeValue,
  PluginsOwner,
  RouteValue,
  ServiceValue,
  SslValue,
  UpstreamValue,
} from './resources/values.ts'

/** Where an upstream of an object finds its cursors and states in the shared memory. */
export interface UpstreamSlots {
  readonly cursor: number
  /** By `host:port`. */
  readonly nodes: Readonly<Record<string, number>>
  /** What discovery has found, for upstreams that name a service instead of nodes. */
  readonly discovered?: readonly NodeValue[]
}

interface Envelope<Kind extends string, Value> {
  readonly kind: Kind
  readonly id: string
  readonly value: Value
  readonly createdIndex: number
  /** The index of the write that made the object what it is. */
  readonly modifiedIndex: number
  /** Parts of plugins that were taken out of use, such as `traffic-split/0-1`. */
  readonly aborts?: readonly string[]
  /** Of the upstreams inside the object, by where they are in it; `''` is its own. */
  readonly slots: Readonly<Record<string, UpstreamSlots>>
}

/** One object of the gateway's configuration, as it is stored; threads compile it themselves. */
export type ConfigObject =
  | Envelope<'routes', RouteValue>
  | Envelope<'services', ServiceValue>
  | Envelope<'upstreams', UpstreamValue>
  | Envelope<'consumers', ConsumerValue>
  | Envelope<'credentials', CredentialValue>
  | Envelope<'consumer_groups', PluginsOwner>
  | Envelope<'plugin_configs', PluginsOwner>
  | Envelope<'global_rules', PluginsOwner>
  | Envelope<'plugin_metadata', JsonObject>
  | Envelope<'ssls', SslValue>

export type Kind = ConfigObject['kind']

export type ConfigChange =
  | { readonly put: ConfigObject }
  | { readonly remove: { readonly kind: Kind; readonly id: string } }

/** From the control plane to a gateway thread. */
export type ToThread =
  | { readonly type: 'full'; readonly revision: number; readonly objects: readonly ConfigObject[] }
  | {
      readonly type: 'delta'
      readonly from: number
      readonly to: number
      readonly changes: readonly ConfigChange[]
    }
  | { readonly type: 'metrics'; readonly ask: number }
  | { readonly type: 'explain'; readonly ask: number; readonly request: ExplainRequest }
  | { readonly type: 'script'; readonly ask: number; readonly test: ScriptTest }
  /** Keys, users or plans have changed: what is remembered of them is no longer true. */
  | { readonly type: 'forget'; readonly ask: number; readonly changed: Changed }
  | { readonly type: 'answer'; readonly ask: number; readonly answer: AccessAnswer }
  | { readonly type: 'limits'; readonly limits: ThreadLimits }
  | { readonly type: 'called'; readonly ask: number; readonly answer: CallAnswer }
  | { readonly type: 'purge'; readonly ask: number; readonly purge: Purge }

/** A call that a plugin makes; see `calls.ts`. */
export interface CallRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly timeoutMs: number
  readonly verifyTls: boolean
  /** How old an answer may be that somebody else has got; 0: only one that is under way. */
  readonly maxAgeMs: number
  /** An older answer is taken while no new one can be had. */
  readonly mayBeStale: boolean
}

/** `ok` is false when there was no answer in time. */
export type CallAnswer =
  | {
      readonly ok: true
      readonly status: number
      readonly contentType: string
      readonly challenge: string
      readonly body: string
      readonly atMs: number
    }
  | { readonly ok: false }

export const PURGE_TOPIC = 'gateway.cache.purge'

/** Which answers a cache has to forget: those of a tag, below a path, of one resource, or all. */
export type Purge = {
  /** Who has done it already: again it would drop what was kept since. */
  readonly from?: string
} & ({ readonly by: 'all' } | { readonly by: 'tag' | 'prefix' | 'resource'; readonly text: string })

/** The settings of limits that a thread goes by. */
export interface ThreadLimits extends LimitSettings {
  readonly onStoreFailure: StoreFailurePolicy
}

/** A request that is only thought of. */
export interface ExplainRequest {
  readonly method: string
  readonly uri: string
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly remote_addr: string
}

/** A script that is tried on such a request. */
export interface ScriptTest {
  readonly phase: string
  readonly function: string
  readonly conf: JsonObject
  readonly request: ExplainRequest
  readonly body: string | null
}

/** What the script did (contract §8). */
export interface ScriptTestOutcome {
  readonly result: JsonObject | null
  readonly changes: readonly {
    readonly type: string
    readonly name: string
    readonly value: string | null
  }[]
  readonly logs: readonly { readonly level: string; readonly text: string }[]
  readonly duration_ms: number
  readonly error: { readonly code: string; readonly message: string; readonly stack: string } | null
}

/** What would become of it (contract §3.4). */
export interface Explanation {
  readonly matched: {
    readonly route_id: string
    readonly params: Readonly<Record<string, string>>
  } | null
  readonly rejected: readonly { readonly route_id: string; readonly because: string }[]
  readonly plugins: readonly {
    readonly name: string
    readonly phase: string
    readonly priority: number
    readonly from: string
  }[]
  readonly upstream: { readonly id: string; readonly nodes: readonly string[] } | null
  readonly forward: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
  } | null
}

/** Figures of one thread since its start; see `metrics/`. */
export interface ThreadMetrics {
  readonly requests: number
  readonly connections: Readonly<Record<string, number>>
  /** Sums by name and labels. */
  readonly counts: readonly {
    readonly name: string
    readonly labels: string
    readonly value: number
  }[]
  readonly histograms: readonly {
    readonly name: string
    readonly labels: string
    readonly buckets: readonly number[]
    readonly sumMs: number
  }[]
}

/** From a gateway thread to the control plane. */
export type FromThread =
  | { readonly type: 'ack'; readonly revision: number }
  /** The thread is at work on what it was sent, which takes longer than usual; may come several times. */
  | { readonly type: 'preparing' }
  /** The thread lacks revisions before a delta and needs a full copy. */
  | { readonly type: 'gap'; readonly revision: number }
  | { readonly type: 'metrics'; readonly ask: number; readonly metrics: ThreadMetrics }
  | { readonly type: 'explained'; readonly ask: number; readonly explanation: Explanation }
  | { readonly type: 'forgotten'; readonly ask: number }
  | { readonly type: 'scripted'; readonly ask: number; readonly outcome: ScriptTestOutcome }
  | { readonly type: 'question'; readonly ask: number; readonly question: AccessQuestion }
  | { readonly type: 'abort'; readonly abort: Abort }
  | { readonly type: 'call'; readonly ask: number; readonly request: CallRequest }
  | { readonly type: 'purged'; readonly ask: number; readonly count: number }

/** A guard has found that a part of an object does harm. */
export interface Abort {
  readonly kind: Kind
  readonly id: string
  /** Of the object as the guard knew it; one that was edited since begins anew. */
  readonly modifiedIndex: number
  /** Such as `traffic-split/0-1`. */
  readonly part: string
  readonly requests: number
  readonly errors: number
}

/** The main API as an upstream: a socket of this machine, or another node's address. */
export type ApiAddress = { readonly secret: string } & (
  | { readonly socketPath: string }
  | { readonly url: string }
)

export interface ThreadData {
  readonly host: string
  readonly port: number
  readonly tlsPort: number | null
  /** For names that no stored certificate is for. */
  readonly defaultCertificate: KeyPair | null
  readonly drainMs: number
  readonly maxBody: number
  readonly trustedProxies: readonly string[]
  /** Networks whose connections begin with a header of the PROXY protocol. */
  readonly proxyProtocol: readonly string[]
  /** HTTP/2 without TLS. */
  readonly h2c: boolean
  readonly upstreamTlsVerify: boolean
  /** Where files of logs may lie; the first is that of relative paths. */
  readonly logDirectories: readonly [string, ...string[]]
  readonly log: { readonly to: 'file' | 'stdout'; readonly level: string; readonly dataDir: string }
  readonly clock: SharedArrayBuffer
  /** What keys are counted on, and where it is counted when there are several nodes. */
  readonly counters: {
    readonly shared: SharedArrayBuffer
    readonly redis: { readonly url: string; readonly prefix: string } | null
    readonly databaseUrl: string | null
    readonly timeoutMs: number
  }
  readonly journal: JournalAddress
  readonly limits: ThreadLimits
  /** How the upstream `entrepot` is reached; null: not from here. */
  readonly api: ApiAddress | null
  /** Seals the sessions of people who sign in at a provider; the same on every node. */
  readonly sessionKey: Uint8Array
  /** How much the answers kept by this thread may take. */
  readonly cacheBytes: number
  /** Cursors, health and requests under way: see `memory.ts`. */
  readonly memory: SharedArrayBuffer
  /** To the bus of the main thread. */
  readonly bus: MessagePort
  readonly name: string
  /** This thread's own part of the shared memory. */
  readonly threadNo: number
  /** Tests make a thread silent with a request, to see it replaced. */
  readonly underTest: boolean
  /** Tests hold a start back as long as the first number in it is 1. */
  readonly heldBack?: SharedArrayBuffer
}
