import net, { type AddressInfo } from 'node:net'
import type { Config } from '#config'
import { OperatorError } from '#kernel'

/**
 * Threads that share a port bind it silently beside another process, so it is bound once alone to
 * find out whether it is taken.
 */
export async function refuseTaken(address: Address, setting: string): Promise<void> {
  if (address.port !== 0) await explainPort(probe(address.host, address.port), address, setting)
}

/** Also for whoever binds it later, because another program may have been quicker. */
export async function explainPort<T>(binding: Promise<T>, address: Address, setting: string) {
  try {
    return await binding
  } catch (error) {
    const problem = portProblem(error, address, setting)
    throw problem === undefined ? error : new OperatorError(problem, error)
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

function portProblem(error: unknown, { host, port }: Address, setting: string): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  const { code, message } = error
  const mend = `Set ENTREPOT_${setting} to another port`
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. ${mend}, or stop that program.`
  if (code === 'EACCES')
    return `Port ${port} needs more rights than this user has. ${mend}, above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${host}. Set ENTREPOT_HOST to one of its own.`
  return `Cannot listen on ${host}:${port}: ${message}`
}

export function freePort(host: string): Promise<number> {
  return probe(host, 0)
}

function probe(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      const bound = portOf(server)
      server.close(() => resolve(bound))
    })
  })
}

export function portOf(server: net.Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return address.port
}

/** As a person on this machine would open it. */
export function urlOf(host: string, port: number, isEncrypted = false): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${isEncrypted ? 'https' : 'http'}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

/** Of the API, as settings have it. */
export function apiUrlOf({ host, port, tls }: Config, boundPort = port): string {
  return urlOf(host, boundPort, tls.cert !== undefined)
}
