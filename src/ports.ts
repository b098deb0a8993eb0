import net, { type AddressInfo } from 'node:net'
import { OperatorError } from '#kernel'

/**
 * Threads that share a port bind it silently beside another process, so it is bound once alone to
 * find out whether it is taken.
 */
export async function refuseTaken({ host, port }: { host: string; port: number }, setting: string) {
  if (port === 0) return
  await probe(host, port).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(portProblem(error, host, port, setting), error)
  })
}

function portProblem(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
) {
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
export function urlOf(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}
