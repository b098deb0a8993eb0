import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { nodeHttp, nodeHttps } from '../node-http.ts'
import { OutboundFailure, toFailure, toProxyFailure } from './failure.ts'

interface Target {
  readonly host: string
  readonly port: number
}

/** How long one address may take before the next one of the same name is tried beside it. */
const NEXT_ADDRESS_MS = 1_000

/** A socket that gets checked addresses, never the name: a second answer of a name server has no effect. */
export function connectTo({ host, port }: Target, addresses: readonly string[]): Socket {
  return connect({
    ...{ host, port, lookup: answering(addresses) },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
  })
}

/** A connected socket to the target itself. */
export async function openSocket(
  target: Target,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connectTo(target, addresses)
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw toFailure(error)
  }
}

/** A socket to the target that a proxy has connected (RFC 9110 §9.3.6). */
export function openTunnel(
  { host, port }: Target,
  proxyUrl: string,
  { ca, signal }: { readonly ca: string[] | undefined; readonly signal: AbortSignal },
): Promise<Socket> {
  const proxy = new URL(proxyUrl)
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const request = (proxy.protocol === 'https:' ? nodeHttps().request : nodeHttp().request)({
    ...{ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port, signal },
    ...{ method: 'CONNECT', path: authority, agent: false },
    headers: { host: authority, ...credentialsOf(proxy) },
    ...(ca === undefined ? {} : { ca }),
  })
  return new Promise((resolve, reject) => {
    request.once('connect', (answer, socket: Socket, head: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        return reject(refusalOf(answer))
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.once('response', (answer) => {
      answer.destroy()
      reject(refusalOf(answer))
    })
    request.once('error', (error) => reject(signal.aborted ? error : failureOf(error)))
    request.end()
  })
}

/** Any other status may be what the proxy found behind it. */
function refusalOf({ statusCode }: IncomingMessage): OutboundFailure {
  return new OutboundFailure('connection_refused', undefined, statusCode === 407)
}

/** A connection to a proxy that breaks may be how the proxy tells of what lies behind it. */
function failureOf(error: Error): Error {
  const failure = toProxyFailure(error)
  const isReset = failure instanceof OutboundFailure && failure.code === 'connection_reset'
  return isReset ? toFailure(error) : failure
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

function answering(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, options, done) => {
    const [first] = entries
    if (options.all) done(null, entries)
    else if (first) done(null, first.address, first.family)
  }
}
