import { isIP } from 'node:net'
import { OperatorError } from '../errors.ts'

const NAT64 = [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]
const SIX_TO_FOUR = [0x20, 0x02]
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** A range in CIDR notation; an address alone is a range of one. */
export function parseCidr(cidr: string): { bytes: Uint8Array; prefix: number } {
  const [ip = '', length, ...rest] = cidr.trim().split('/')
  const bytes = toBytes(ip)
  const bits = (bytes?.length ?? 0) * 8
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Infinity
  if (!bytes || ip.includes('%') || rest.length > 0 || prefix > bits) {
    throw new OperatorError(`"${cidr}" is not an address range such as 10.1.0.0/16 or fd12::/32`)
  }
  if (isMapped(bytes)) throw new OperatorError(`Write the range "${cidr}" in its IPv4 form`)
  // A slip like 10.1.2.3/8 would open a whole range where one address was meant.
  if (hasBitsAfter(bytes, prefix)) {
    throw new OperatorError(
      `"${cidr}" starts inside its range; for one address write ${ip}/${bits}`,
    )
  }
  return { bytes, prefix }
}

/**
 * The IPv4 address that a packet to this IPv6 address ends at: NAT64 (RFC 6052) and 6to4
 * (RFC 3056). The local-use NAT64 prefix 64:ff9b:1::/48 is refused whole, its layout is not known.
 */
export function embeddedIpv4(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length !== 16) return null
  if (startsWith(bytes, NAT64)) return bytes.subarray(12)
  if (startsWith(bytes, SIX_TO_FOUR)) return bytes.subarray(2, 6)
  return null
}

/** `::ffff:a.b.c.d` is no address of its own: a connection to it goes to a.b.c.d. */
export function isMapped(bytes: Uint8Array): boolean {
  return bytes.length === 16 && startsWith(bytes, MAPPED)
}

/** Four or sixteen bytes, null when the text is no address. */
export function toBytes(ip: string): Uint8Array | null {
  // A zone (`fe80::1%eth0`) only names an interface, the ranges know nothing of it.
  const address = ip.split('%', 1)[0] ?? ''
  if (isIP(address) === 4) return Uint8Array.from(address.split('.'), Number)
  if (isIP(address) !== 6) return null
  // The URL parser writes every spelling, dotted quads included, as plain groups of hex digits.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const front = groupsOf(head)
  const back = groupsOf(tail ?? '')
  const zeros = new Array<number>(8 - front.length - back.length).fill(0)
  return Uint8Array.from(
    [...front, ...zeros, ...back].flatMap((group) => [group >> 8, group & 0xff]),
  )
}

export function toText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/(.{4})(?!$)/g, '$1:')
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

function hasBitsAfter(bytes: Uint8Array, prefix: number): boolean {
  return bytes.some((byte, i) => (byte & (0xff >> Math.min(8, Math.max(0, prefix - i * 8)))) !== 0)
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte)
}
