import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { KeyPair } from '../protocol.ts'
import type { SslValue } from '../resources/values.ts'

/** A certificate with the TLS server that is set up for its names. */
export interface Certificate {
  readonly names: readonly string[]
  readonly createdIndex: number
  readonly server: Server
}

/** Gets a connection when its handshake is done. */
export type ServeTls = (socket: TLSSocket) => void

const HANDSHAKE_WITHIN_MS = 60_000
/** When HTTP/2 comes, a name that permits it offers `h2` too. */
const PROTOCOLS = ['http/1.1']

export function compileCertificate(
  value: SslValue,
  createdIndex: number,
  serve: ServeTls,
): Certificate {
  const names = value.snis ?? (value.sni === undefined ? [] : [value.sni])
  return { names: names.map(plainName), createdIndex, server: createTlsServer(value, serve) }
}

/** Never listens: connections are handed to it. Throws when key and certificate cannot be used. */
export function createTlsServer(value: KeyPair & Partial<SslValue>, serve: ServeTls): Server {
  const versions = value.ssl_protocols ?? ['TLSv1.2', 'TLSv1.3']
  const server = createServer({
    cert: [value.cert, ...(value.certs ?? [])],
    key: [value.key, ...(value.keys ?? [])],
    minVersion: versions.includes('TLSv1.2') ? 'TLSv1.2' : 'TLSv1.3',
    maxVersion: versions.includes('TLSv1.3') ? 'TLSv1.3' : 'TLSv1.2',
    ALPNProtocols: PROTOCOLS,
    handshakeTimeout: HANDSHAKE_WITHIN_MS,
  })
  return server.on('secureConnection', serve)
}

/** All certificates at one moment. Of several for one name the one stored first counts. */
export function indexCertificates(all: Iterable<Certificate>, otherwise: Server | null) {
  const byName = new Map<string, Server>()
  let fallback: Server | undefined
  for (const { names, server } of [...all].sort((a, b) => a.createdIndex - b.createdIndex)) {
    if (names.length === 0) fallback ??= server
    for (const name of names) if (!byName.has(name)) byName.set(name, server)
  }
  return { find }

  /** For the name itself, then for all below its parent, then for any name. */
  function find(name: string): Server | undefined {
    const dot = name.indexOf('.')
    const wildcard = dot === -1 ? undefined : byName.get(`*${name.slice(dot)}`)
    const own = name === '' ? undefined : byName.get(name)
    return own ?? wildcard ?? byName.get('*') ?? fallback ?? otherwise ?? undefined
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
