import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import type { Log } from '../../log.ts'
import { OutboundFailure, toFailure } from './failure.ts'
import { skipInterim } from './interim.ts'
import type { AddressRule } from './private-addresses.ts'
import { connectTo } from './tunnel.ts'

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>

export const resolveBySystem: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address)

export type CheckedResolve = (host: string) => Promise<readonly string[]>

interface ResolverDeps {
  readonly rule: AddressRule
  readonly resolve: Resolve
  readonly log: Pick<Log, 'info'>
}

/** Addresses of which none is refused; one refused address refuses the whole name. */
export function createCheckedResolve({ rule, resolve, log }: ResolverDeps): CheckedResolve {
  return async (host) => {
    if (rule.isRefusedName(host)) throw new OutboundFailure('address_not_allowed')
    const addresses = isIP(host) === 0 ? await resolveName(host) : [host]
    const refused = addresses.find(rule.isRefused)
    if (refused !== undefined) {
      log.info({ host, address: refused }, 'outbound request refused by the address rule')
      throw new OutboundFailure('address_not_allowed')
    }
    return addresses
  }

  async function resolveName(name: string): Promise<readonly string[]> {
    const addresses = await resolve(name).catch((error) => {
      throw new OutboundFailure('dns_error', error)
    })
    if (addresses.length === 0) throw new OutboundFailure('dns_error')
    return addresses
  }
}

interface ConnectorDeps {
  readonly resolve: CheckedResolve
  /** Adds TLS to a connected socket. */
  readonly secure: buildConnector.connector
  readonly connectTimeoutMs: number
}

/**
 * Opens connections for undici. A name is resolved once per connection and the socket gets the
 * checked addresses, never the name, so a second answer of the name server has no effect
 * (webhooks contract §10).
 */
export function createConnector({ resolve, secure, connectTimeoutMs }: ConnectorDeps) {
  const opening = new Set<Socket>()
  let closed = false
  return { connect: connectForClient, close }

  // Every error becomes an OutboundFailure: undici retries some of its own codes without end.
  function connectForClient(options: buildConnector.Options, done: buildConnector.Callback) {
    open(options).then(
      (socket) => done(null, skipInterim(socket)),
      (error) => done(error instanceof Error ? error : new Error(String(error)), null),
    )
  }

  async function open(options: buildConnector.Options): Promise<Socket> {
    const addresses = await resolve(options.hostname)
    if (closed) throw new OutboundFailure('aborted')
    const secured = options.protocol === 'https:'
    const port = options.port === '' ? (secured ? 443 : 80) : Number(options.port)
    const socket = connectTo({ host: options.hostname, port }, addresses)
    const timer = setTimeout(() => socket.destroy(new OutboundFailure('timeout')), connectTimeoutMs)
    opening.add(socket)
    try {
      await once(socket, 'connect').catch(rethrowAsFailure)
      return secured ? await addTls({ ...options, httpSocket: socket }) : socket
    } finally {
      clearTimeout(timer)
      opening.delete(socket)
    }
  }

  function addTls(options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolve, reject) => {
      secure(options, (error, socket) => {
        if (error) reject(asTlsFailure(error))
        else resolve(socket)
      })
    })
  }

  /** Ends what is not yet connected; connected sockets belong to undici. */
  function close() {
    closed = true
    for (const socket of opening) socket.destroy(new OutboundFailure('aborted'))
  }
}

function rethrowAsFailure(error: unknown): never {
  throw toFailure(error)
}

/** Whatever breaks a handshake is a fault of TLS, unless the other side just went away. */
function asTlsFailure(error: Error): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const gone = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
  if (gone) return new OutboundFailure('connection_reset', error)
  const late = 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT'
  return new OutboundFailure(late ? 'timeout' : 'tls_error', error)
}
