import { BlockList, isIP } from 'node:net'

/** Whether a text is an address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(version))
}

/** A set of networks; malformed ones must have been refused before. */
export function createNetworks(networks: readonly string[]) {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const version = isIP(address)
    const bits = prefix === undefined ? bitsOf(version) : Number(prefix)
    list.addSubnet(address, bits, version === 6 ? 'ipv6' : 'ipv4')
  }
  return { has }

  function has(address: string): boolean {
    return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
  }
}

export type Networks = ReturnType<typeof createNetworks>

function bitsOf(version: number): number {
  return version === 6 ? 128 : 32
}
