import { BlockList, isIP } from 'node:net'
import { embeddedIpv4, isMapped, parseCidr, toBytes, toText } from '../ip.ts'
import { LOOPBACK, METADATA_NAMES, REFUSED_V4, REFUSED_V6 } from './address-ranges.ts'

export interface AddressRuleOptions {
  /** Opens 127.0.0.0/8, ::1 and `localhost`; every other range stays refused. */
  readonly allowLoopback: boolean
  /** Ranges the operator opens, as CIDR texts. */
  readonly allowNets: readonly string[]
}

/** Which hosts a request made for a user may reach (webhooks contract §10, scrapers contract §4). */
export interface AddressRule {
  /** What is not an address at all is refused too. */
  isRefused(ip: string): boolean
  /** Names refused whatever they resolve to. */
  isRefusedName(name: string): boolean
  /**
   * Why this URL may not be requested, or null. Names are not resolved here, so null is no promise
   * that a connection will be allowed.
   */
  checkUrl(url: string | URL): string | null
}

const MAX_KNOWN = 1_000

export function createAddressRule({ allowLoopback, allowNets }: AddressRuleOptions): AddressRule {
  const refused = createRanges([...REFUSED_V4, ...REFUSED_V6])
  const allowed = createRanges([...(allowLoopback ? LOOPBACK : []), ...allowNets])
  const known = new Map<string, boolean>()
  return { isRefused, isRefusedName, checkUrl }

  /** The same few addresses are asked for again and again. */
  function isRefused(ip: string): boolean {
    const before = known.get(ip)
    if (before !== undefined) return before
    if (known.size >= MAX_KNOWN) known.clear()
    const answer = judge(ip)
    known.set(ip, answer)
    return answer
  }

  function judge(ip: string): boolean {
    const bytes = toBytes(ip)
    if (!bytes) return true
    const address = isMapped(bytes) ? bytes.subarray(12) : bytes
    if (allowed.has(address)) return false
    const inner = embeddedIpv4(address)
    return inner ? refused.has(inner) : refused.has(address)
  }

  function isRefusedName(name: string): boolean {
    return METADATA_NAMES.has(withoutDot(name))
  }

  function checkUrl(url: string | URL): string | null {
    const parsed = url instanceof URL ? url : URL.parse(url)
    if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
      return 'Only absolute http and https URLs are allowed'
    }
    const host = bareHost(parsed)
    if (isIP(host) !== 0) return isRefused(host) ? `The address ${host} is not allowed` : null
    if (isLocalhost(host) && isRefused('127.0.0.1') && isRefused('::1')) {
      return `The host ${host} is not allowed`
    }
    return isRefusedName(host) ? `The host ${host} is not allowed` : null
  }
}

/** The host of a URL as a resolver or a socket wants it: without the brackets of IPv6. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

// Two lists, because a BlockList compares IPv4 addresses with IPv6 ranges in their mapped form:
// `::/3` in a common list would refuse every IPv4 address.
function createRanges(cidrs: readonly string[]) {
  const v4 = new BlockList()
  const v6 = new BlockList()
  for (const cidr of cidrs) {
    const { bytes, prefix } = parseCidr(cidr)
    if (bytes.length === 4) v4.addSubnet(toText(bytes), prefix, 'ipv4')
    else v6.addSubnet(toText(bytes), prefix, 'ipv6')
  }
  return { has }

  function has(address: Uint8Array): boolean {
    const text = toText(address)
    return address.length === 4 ? v4.check(text, 'ipv4') : v6.check(text, 'ipv6')
  }
}

function isLocalhost(host: string): boolean {
  const name = withoutDot(host)
  return name === 'localhost' || name.endsWith('.localhost')
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
