import { createHash } from 'node:crypto'
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type Server,
  type TLSSocket,
} from 'node:tls'
import type { KeyPair } from '#kernel'
import type { SslValue } from '../resources/values.ts'

/** A certificate with the TLS server that is set up for its names. */
export interface Certificate {
  readonly names: readonly string[]
  readonly createdIndex: number
  readonly entrance: Entrance
}

/** What connections to a name come in by. */
export interface Entrance {
  readonly server: Server
  /** What the certificates of clients are checked by; null when they need none. */
  readonly clientRule: string | null
}

/** Gets a connection when its handshake is done. */
export type ServeTls = (socket: TLSSocket, entrance: Entrance) => void

/** What the gateway shows to upstreams. */
export interface ClientPair {
  readonly context: SecureContext
  /** Connections with the same one may be shared. */
  readonly digest: string
}

const HANDSHAKE_WITHIN_MS = 60_000
const DEFAULT_DEPTH = 1
const MAX_CHAIN = 101
const PROTOCOLS = ['h2', 'http/1.1']

export function compileCertificate(
  value: SslValue,
  createdIndex: number,
  serve: ServeTls,
): Certificate {
  const names = value.snis ?? (value.sni === undefined ? [] : [value.sni])
  return { names: names.map(plainName), createdIndex, entrance: createEntrance(value, serve) }
}

/** Throws when key and certificate cannot be used. */
export function compileClientPair({ cert, key }: KeyPair): ClientPair {
  const digest = createHash('sha256').update(cert).update(key).digest('base64')
  return { context: createSecureContext({ cert, key }), digest }
}

/**
 * Its server never listens: connections are handed to it. Throws when key and certificate cannot be used.
 */
export function createEntrance(value: KeyPair & Partial<SslValue>, serve: ServeTls): Entrance {
  const versions = value.ssl_protocols ?? ['TLSv1.2', 'TLSv1.3']
  const { client } = value
  const server = createServer({
    cert: [value.cert, ...(value.certs ?? [])],
    key: [value.key, ...(value.keys ?? [])],
    minVersion: versions.includes('TLSv1.2') ? 'TLSv1.2' : 'TLSv1.3',
    maxVersion: versions.includes('TLSv1.3') ? 'TLSv1.3' : 'TLSv1.2',
    ALPNProtocols: PROTOCOLS,
    handshakeTimeout: HANDSHAKE_WITHIN_MS,
    ...(client ? { requestCert: true, rejectUnauthorized: true, ca: client.ca } : {}),
  })
  const depth = client?.depth ?? DEFAULT_DEPTH
  const entrance = { server, clientRule: client ? `${depth} ${client.ca}` : null }
  server.on('secureConnection', (socket: TLSSocket) => {
    if (client && issuersBetween(socket) > depth) socket.destroy()
    else serve(socket, entrance)
  })
  return entrance
}

/** Certificates between that of the client and the one that is trusted, which Node does not bound. */
function issuersBetween(socket: TLSSocket): number {
  let certificate = socket.getPeerCertificate(true)
  let count = 0
  for (; count < MAX_CHAIN; count++) {
    const { issuerCertificate: issuer } = certificate
    if (!issuer || issuer.fingerprint256 === certificate.fingerprint256) break
    certificate = issuer
  }
  return Math.max(0, count - 1)
}

/** All certificates at one moment. Of several for one name the one stored first counts. */
export function indexCertificates(all: Iterable<Certificate>, otherwise: Entrance | null) {
  const byName = new Map<string, Entrance>()
  let fallback: Entrance | undefined
  let verifiesClients = false
  for (const { names, entrance } of [...all].sort((a, b) => a.createdIndex - b.createdIndex)) {
    verifiesClients ||= entrance.clientRule !== null
    if (names.length === 0) fallback ??= entrance
    for (const name of names) if (!byName.has(name)) byName.set(name, entrance)
  }
  return { find, isMisdirected }

  /**
   * A name whose clients are verified cannot be had over a connection whose client was not, or by another
   * rule. A connection that is open when the name gets a new certificate is none of these.
   */
  function isMisdirected(name: string, via: Entrance | null): boolean {
    if (!verifiesClients) return false
    const rule = find(name)?.clientRule ?? null
    return rule !== null && rule !== via?.clientRule
  }

  /** For the name itself, then for all below its parent, then for any name. */
  function find(name: string): Entrance | undefined {
    const dot = name.indexOf('.')
    const wildcard = dot === -1 ? undefined : byName.get(`*${name.slice(dot)}`)
    const own = name === '' ? undefined : byName.get(name)
    return own ?? wildcard ?? byName.get('*') ?? fallback ?? otherwise ?? undefined
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
