import { isIP } from 'node:net'
import type { NodeValue, UpstreamValue } from './values.ts'

export interface PlainNode {
  readonly host: string
  readonly port: number
  readonly weight: number
  readonly priority: number
}

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/

/** `host:port` of a map of nodes; undefined when it is neither a host nor a port from 1 to 65535. */
export function parseAddress(text: string): { host: string; port: number | undefined } | undefined {
  const [, host, port] = ADDRESS.exec(text) ?? []
  if (host === undefined) return undefined
  const number = port === undefined ? undefined : Number(port)
  if (number !== undefined && (number < 1 || number > 65_535)) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

/** The nodes of an upstream in one form; `discovered` stands for those it does not name. */
export function nodesOf(value: UpstreamValue, discovered: readonly NodeValue[] = []): PlainNode[] {
  const { nodes = discovered } = value
  const usual = value.scheme === 'https' ? 443 : 80
  if (!isList(nodes)) {
    return Object.entries(nodes).flatMap(([address, weight]) => {
      const parsed = parseAddress(address)
      return parsed ? [{ host: parsed.host, port: parsed.port ?? usual, weight, priority: 0 }] : []
    })
  }
  return nodes.map(({ host, port, weight, priority }) => ({
    host: host.replace(/^\[|\]$/g, ''),
    port: port ?? usual,
    weight,
    priority: priority ?? 0,
  }))
}

/** `host:port`, as health and metrics name a node. */
export function nodeName({ host, port }: Pick<PlainNode, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The name that a node has over TLS: what it is asked for and what its certificate has to say. */
export function serverNameOf(
  { pass_host: passed, upstream_host: rewritten, service_name: service }: UpstreamValue,
  host: string,
): string {
  if (passed === 'rewrite' && rewritten !== undefined) return withoutPort(rewritten)
  // Certificates are issued to the name, not to the addresses that it stands for now.
  return service !== undefined && isIP(host) !== 0 ? withoutPort(service) : host
}

function withoutPort(text: string): string {
  return isIP(text) === 0 ? (parseAddress(text)?.host ?? text) : text
}

function isList(nodes: NonNullable<UpstreamValue['nodes']>): nodes is readonly NodeValue[] {
  return Array.isArray(nodes)
}
