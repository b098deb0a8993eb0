/** Active health checks: one prober per process, whose findings all its threads share. */

import { connect, isIP } from 'node:net'
import { nodeHttp, nodeHttps } from '#http-text'
import type { KeyPair, Log } from '#kernel'
import { createSlots } from '#queues'
import { type Memory, NO_SLOT, type Outcome } from './memory.ts'
import { nodeChanged } from './node-changed.ts'
import type { UpstreamSlots } from './protocol.ts'
import { nodeName, nodesOf, type PlainNode, serverNameOf } from './resources/nodes.ts'
import type { ActiveChecks, UpstreamValue } from './resources/values.ts'

interface Deps {
  readonly memory: Memory
  readonly log: Log
  /** Unless an upstream or its checks say otherwise. */
  readonly verifyTls: boolean
  /** What the gateway shows to the nodes of an upstream. */
  pairOf(upstream: UpstreamValue): KeyPair | null
}

interface Probe {
  readonly settings: string
  stop(): void
}

export interface Watched {
  readonly key: string
  readonly upstream: UpstreamValue
  readonly slots: UpstreamSlots
}

const DEFAULT_HEALTHY = [200, 302]
const DEFAULT_UNHEALTHY = [429, 404, 500, 501, 502, 503, 504, 505]
const MAX_AT_ONCE = 10

export function createProbes({ memory, log, verifyTls, pairOf }: Deps) {
  /** By upstream, then by node. */
  const running = new Map<string, Map<string, Probe>>()
  const watched = new Map<string, Watched>()
  return { update, remove, list: () => [...watched.values()], close }

  /** Starts at once, not with the first request; an unchanged node is not disturbed. */
  function update(given: Watched): void {
    const { key, upstream, slots } = given
    const checks = upstream.checks?.active
    const nodes = nodesOf(upstream, slots.discovered)
    if (upstream.checks) watched.set(key, given)
    else watched.delete(key)
    const probes = running.get(key) ?? new Map<string, Probe>()
    running.set(key, probes)
    const wanted = new Set<string>()
    const { scheme, tls, pass_host: passed, upstream_host: rewritten, service_name } = upstream
    const settings = JSON.stringify([checks, scheme, tls, passed, rewritten, service_name])
    const turns = createSlots(checks?.concurrency ?? MAX_AT_ONCE)
    for (const node of checks ? nodes : []) {
      const name = nodeName(node)
      const slot = slots.nodes[name] ?? NO_SLOT
      if (!checks || slot === NO_SLOT || node.weight === 0) continue
      wanted.add(name)
      if (probes.get(name)?.settings === `${settings}${slot}`) continue
      probes.get(name)?.stop()
      const stop = start({ key, node, slot, checks, upstream, turns })
      probes.set(name, { settings: `${settings}${slot}`, stop })
    }
    for (const [name, probe] of probes) {
      if (wanted.has(name)) continue
      probe.stop()
      probes.delete(name)
    }
    if (probes.size === 0) running.delete(key)
  }

  function remove(key: string): void {
    watched.delete(key)
    for (const probe of running.get(key)?.values() ?? []) probe.stop()
    running.delete(key)
  }

  function close(): void {
    for (const key of [...running.keys()]) remove(key)
  }

  interface Subject {
    readonly key: string
    readonly node: PlainNode
    readonly slot: number
    readonly checks: ActiveChecks
    readonly upstream: UpstreamValue
    /** At most so many probes of one upstream at once. */
    readonly turns: ReturnType<typeof createSlots>
  }

  function start(subject: Subject): () => void {
    let timer: NodeJS.Timeout | undefined
    let isStopped = false
    let isTold = false
    void run()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }

    /** Such as a path that no request can have: told once, and the node is as good as unreachable. */
    function impossible(error: unknown): Outcome {
      const { key, node } = subject
      if (!isTold) log.error({ err: error, upstream: key, node: nodeName(node) }, 'a probe failed')
      isTold = true
      return 'tcp_failure'
    }

    async function run() {
      const { checks, slot, turns } = subject
      const outcome = await turns
        .run(() => probe({ ...subject, verifyTls, pair: pairOf(subject.upstream) }))
        .catch(impossible)
      if (isStopped) return
      if (outcome) note(subject, outcome)
      const healthy = checks.healthy?.interval ?? checks.interval ?? 1
      const unhealthy = checks.unhealthy?.interval ?? checks.interval ?? 1
      const seconds = memory.isHealthy(slot) ? healthy : unhealthy
      timer = setTimeout(run, seconds * 1000)
      timer.unref()
    }
  }

  function note({ key, node, slot, checks }: Subject, outcome: Outcome): void {
    if (!memory.report(slot, outcome, thresholdOf(checks, outcome))) return
    const state = memory.isHealthy(slot) ? 'healthy' : 'unhealthy'
    const change = { upstream: key, node: nodeName(node), state } as const
    log.warn({ ...change, outcome }, nodeChanged(change))
  }
}

export type Probes = ReturnType<typeof createProbes>

function thresholdOf({ healthy, unhealthy }: ActiveChecks, outcome: Outcome): number {
  switch (outcome) {
    case 'success':
      return healthy?.successes ?? 2
    case 'http_failure':
      return unhealthy?.http_failures ?? 5
    case 'tcp_failure':
      return unhealthy?.tcp_failures ?? 2
    case 'timeout_failure':
      return unhealthy?.timeouts ?? 3
  }
}

interface Asked {
  readonly node: PlainNode
  readonly checks: ActiveChecks
  readonly upstream: UpstreamValue
  readonly verifyTls: boolean
  readonly pair: KeyPair | null
}

/** Undefined when the answer says nothing either way. */
function probe({ node, checks, upstream, verifyTls, pair }: Asked): Promise<Outcome | undefined> {
  const type = checks.type ?? (upstream.scheme === 'https' ? 'https' : 'http')
  const port = checks.port ?? node.port
  const timeoutMs = (checks.timeout ?? 1) * 1000
  const servername = serverNameOf(upstream, node.host)
  return type === 'tcp' ? probeTcp(node.host, port, timeoutMs) : probeHttp()

  /** As requests name the node, unless the checks say otherwise. */
  function hostOf(): string {
    const { pass_host: passed, upstream_host: rewritten } = upstream
    const own = nodeName({ host: node.host, port })
    return checks.host ?? (passed === 'rewrite' ? (rewritten ?? own) : own)
  }

  function probeHttp(): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      const ask = type === 'https' ? nodeHttps().request : nodeHttp().request
      const request = ask(
        {
          host: node.host,
          port,
          path: checks.http_path ?? '/',
          method: checks.http_method ?? 'GET',
          headers: headersOf(checks, hostOf()),
          agent: false,
          // RFC 6066 §3: an address is no server name.
          ...(isIP(servername) === 0 ? { servername } : {}),
          rejectUnauthorized: checks.https_verify_certificate ?? upstream.tls?.verify ?? verifyTls,
          ...(pair ? { cert: pair.cert, key: pair.key } : {}),
        },
        (answer) => {
          answer.resume()
          settle(judge(checks, answer.statusCode ?? 0))
        },
      )
      const timer = setTimeout(() => settle('timeout_failure'), timeoutMs)
      request.on('error', () => settle('tcp_failure'))
      request.end()

      function settle(outcome: Outcome | undefined) {
        clearTimeout(timer)
        request.destroy()
        resolve(outcome)
      }
    })
  }
}

function judge({ healthy, unhealthy }: ActiveChecks, status: number): Outcome | undefined {
  if ((healthy?.http_statuses ?? DEFAULT_HEALTHY).includes(status)) return 'success'
  if ((unhealthy?.http_statuses ?? DEFAULT_UNHEALTHY).includes(status)) return 'http_failure'
  return undefined
}

/** As names and values in turn: a name from outside is no member of an object. */
function headersOf({ req_headers: lines = [] }: ActiveChecks, host: string) {
  const headers = new Map([['host', host]])
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return [...headers].flat()
}

function probeTcp(host: string, port: number, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (outcome: Outcome) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => settle('timeout_failure'), timeoutMs)
    socket.once('connect', () => settle('success'))
    socket.on('error', () => settle('tcp_failure'))
  })
}
