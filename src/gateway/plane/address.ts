import { isIP } from 'node:net'

/** An IPv4 address without the form that a socket for both families gives it. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]:80`, as proxies write them; undefined for anything else. */
export function parseClientAddress(text: string): { address: string; port?: string } | undefined {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? []
  const address = plainAddress(bracketed ?? plain ?? text.trim())
  if (isIP(address) === 0) return undefined
  return port !== undefined && Number(port) <= 65_535 ? { address, port } : { address }
}
