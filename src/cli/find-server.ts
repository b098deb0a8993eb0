import type { Config } from '#config'
import { OperatorError } from '#kernel'

/** The URL of the server that a command talks to. One that goes away later may come back; one that was never there is a mistake. */
export async function findServer(given: string | undefined, config: Config): Promise<string> {
  const url = (given ?? config.cli.url ?? hereOf(config)).replace(/\/+$/, '')
  await fetch(`${url}/health`).catch((error) => {
    const next = 'start it with "entrepot start", or name another one with --url'
    throw new OperatorError(`No server answers at ${url}: ${next}`, error)
  })
  return url
}

function hereOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}
