import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { Collected } from './collect.ts'

export interface Machine {
  /** Processor cores this process may use. */
  readonly cores: number
}

/**
 * Defaults that follow from other settings or the machine. `known` finds what was set or has a
 * plain default; the answer takes the origin of what it was taken from.
 */
export function derive(
  name: string,
  known: (name: string) => Collected | undefined,
  machine: Machine,
): Collected | undefined {
  switch (name) {
    case 'env':
      return byDefault(isLoopback(String(known('host')?.value)) ? 'development' : 'production')
    case 'auth.basic':
      return byDefault(known('env')?.value === 'development')
    case 'gateway.threads':
      return byDefault(Math.max(1, Math.min(machine.cores - 1, 4)))
    case 'backup.directory':
      return byDefault(join(String(known('data_dir')?.value), 'backups'))
    case 'gateway.host':
      return known('host')
    case 'webhooks.smtp_url':
      return known('smtp.url')
    case 'webhooks.smtp_sender':
      return known('smtp.sender')
    default:
      return undefined
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function byDefault(value: unknown): Collected {
  return { value, origin: 'default' }
}
