import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { plainAddress } from '../address.ts'
import type { Peer } from './client.ts'

/** What a proxy says of a connection before the bytes of the client. */
interface ProxyHeader {
  readonly bytes: number
  /** Null: the proxy speaks for itself, or does not know for whom. */
  readonly peer: Peer | null
}

/** Undefined: more bytes are needed. Null: this is no such header, and never will be. */
type ReadProxyHeader = ProxyHeader | null | undefined

// The PROXY protocol, versions 1 and 2 (HAProxy, doc/proxy-protocol.txt §2.1, §2.2).
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const WORD = Buffer.from('PROXY ')
const MAX_LINE_BYTES = 107
const FIXED_BYTES = 16
/** Addresses take 216 at most; the rest is what a proxy likes to add. */
const MAX_ADDED_BYTES = 16 * 1024
const LOCAL = 0x20
const PROXY = 0x21
const UNSPECIFIED = 0x00
const TCP4 = 0x11
const TCP6 = 0x21
const UNIX_STREAM = 0x31

export function readProxyHeader(bytes: Buffer): ReadProxyHeader {
  return begins(bytes, SIGNATURE) ? readBinary(bytes) : readLine(bytes)
}

/** As far as it has come. */
function begins(bytes: Buffer, expected: Buffer): boolean {
  const size = Math.min(bytes.length, expected.length)
  return bytes.compare(expected, 0, size, 0, size) === 0
}

function readLine(bytes: Buffer): ReadProxyHeader {
  if (!begins(bytes, WORD)) return null
  const end = bytes.indexOf('\r\n')
  if (end === -1) return bytes.length >= MAX_LINE_BYTES ? null : undefined
  if (end + 2 > MAX_LINE_BYTES) return null
  const [, family, ...fields] = bytes.toString('latin1', 0, end).split(' ')
  if (family === 'UNKNOWN') return { bytes: end + 2, peer: null }
  const peer = parsePeer(family, fields)
  return peer && { bytes: end + 2, peer }
}

function parsePeer(family: string | undefined, fields: readonly string[]): Peer | null {
  const [source = '', target = '', port = '', localPort = '', ...more] = fields
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false
  const isRight = isAddress(source) && isAddress(target) && isPort(port) && isPort(localPort)
  if (!isRight || more.length > 0) return null
  return { address: usual(source), port: Number(port), localPort: Number(localPort), lines: '' }
}

function isPort(text: string): boolean {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

function readBinary(bytes: Buffer): ReadProxyHeader {
  if (bytes.length < FIXED_BYTES) return undefined
  const command = bytes[12]
  const family = bytes[13]
  const length = bytes.readUInt16BE(14)
  if ((command !== LOCAL && command !== PROXY) || length > MAX_ADDED_BYTES) return null
  const end = FIXED_BYTES + length
  if (bytes.length < end) return undefined
  const isUnknown = family === UNSPECIFIED || family === UNIX_STREAM
  if (command === LOCAL || isUnknown) return { bytes: end, peer: null }
  const size = family === TCP4 ? 4 : family === TCP6 ? 16 : 0
  const given = bytes.subarray(FIXED_BYTES, end)
  if (size === 0 || given.length < 2 * size + 4) return null
  const peer = {
    address: toAddress(given.subarray(0, size)),
    port: given.readUInt16BE(2 * size),
    localPort: given.readUInt16BE(2 * size + 2),
    lines: '',
  }
  return { bytes: end, peer }
}

function toAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  return usual(groups.join(':'))
}

/** As the system writes it, so that one address has one spelling. */
function usual(address: string): string {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return plainAddress(new SocketAddress({ address, family }).address)
}
