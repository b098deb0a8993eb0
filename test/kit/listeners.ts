import { readFileSync } from 'node:fs'

const LISTENING = '0A'

/** How many sockets of this machine listen on a port of IPv4; those that share it count each. */
export function listenersOn(port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return rows.filter((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/)
    return local.endsWith(wanted) && state === LISTENING
  }).length
}
