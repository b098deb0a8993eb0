/** An IPv4 address without the form that a socket for both families gives it. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
