import net, { type AddressInfo } from 'node:net'
import type { Config } from '#config'
import { OperatorError } from '#kernel'

/** What is listened on, and the setting that says so. */
export interface Port {
  readonly name: string
  readonly host: string
  readonly port: number
}

/** The API first: where the gateway has no host of its own, its host is the one to mend. */
export function portsOf({ host, port, roles, gateway }: Config): readonly Port[] {
  const api = { name: 'port', host, port }
  return roles.includes('gateway') ? [api, ...gatewayPortsOf(gateway)] : [api]
}

export function gatewayPortsOf({ host, port, tlsPort }: Config['gateway']): readonly Port[] {
  const plain = { name: 'gateway.port', host, port }
  return tlsPort === undefined
    ? [plain]
    : [plain, { name: 'gateway.tls_port', host, port: tlsPort }]
}

/**
 * Threads that share a port bind it silently beside another process, so it is bound once alone to
 * find out whether it is taken.
 */
export async function refuseTaken(port: Port): Promise<void> {
  if (port.port !== 0) await explainPort(probe(port.host, port.port), [port])
}

/** Also for whoever binds it later, because another program may have been quicker. */
export async function explainPort<T>(binding: Promise<T>, ports: readonly Port[]) {
  try {
    return await binding
  } catch (error) {
    const problem = portProblem(error, ports)
    throw problem === undefined ? error : new OperatorError(problem, error)
  }
}

function portProblem(error: unknown, ports: readonly Port[]): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  const { code, message } = error
  const found = ports.find(({ port }) => 'port' in error && error.port === port) ?? ports[0]
  if (!found) return undefined
  const { name, host, port } = found
  const mend = `Set ${variableOf(name)} to another port`
  const address = variableOf(name === 'port' ? 'host' : 'gateway.host')
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. ${mend}, or stop that program.`
  if (code === 'EACCES')
    return `Port ${port} needs more rights than this user has. ${mend}, above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${host}. Set ${address} to one of its own.`
  return `Cannot listen on ${host}:${port}: ${message}. Set ${address} to an address of this machine.`
}

function variableOf(setting: string): string {
  return `ENTREPOT_${setting.replace('.', '_').toUpperCase()}`
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
