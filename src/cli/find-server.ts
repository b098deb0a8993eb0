import type { Config } from '#config'
import { OperatorError } from '#kernel'
import type { Command, Input } from './command.ts'
import { UsageError } from './usage-error.ts'

/** Options of a command that talks to a server with a key of this level. */
export function serverOptions(level: string): Command['options'] {
  return {
    url: { type: 'string', value: '<url>', summary: 'server; else cli.url, else this machine' },
    key: { type: 'string', value: '<key>', summary: `API key of level ${level}; else cli.key` },
  }
}

/** The key that those options or the settings name. */
export function keyFor(
  command: Pick<Command, 'name'>,
  input: Input,
  { cli, admin }: Config,
): string {
  const key = input.text('key') ?? cli.key ?? admin.key
  if (key === undefined) throw new UsageError(`"${command.name}" needs --key or ENTREPOT_CLI_KEY`)
  return sendable(key, 'key')
}

/** What no header can carry is told here: later it would look like a server that does not answer. */
export function sendable(secret: string, noun: 'key' | 'token'): string {
  try {
    new Headers({ authorization: secret })
    return secret
  } catch {
    throw new UsageError(`the ${noun} has a line break or another character that cannot be in one`)
  }
}

/** The URL of the server that a command talks to. One that goes away later may come back; one that was never there is a mistake. */
export async function findServer(given: string | undefined, config: Config): Promise<string> {
  const url = (given ?? config.cli.url ?? hereOf(config)).replace(/\/+$/, '')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(`--url must start with https:// or http://, not "${url}"`)
  }
  await fetch(`${url}/health`).catch((error) => {
    const next = config.tls.cert
      ? 'start it with "entrepot start", or name it as its certificate does with --url'
      : 'start it with "entrepot start", or name another one with --url'
    throw new OperatorError(`No server answers at ${url}: ${next}`, error)
  })
  return url
}

function hereOf({ host, port, tls, publicUrl }: Config): string {
  // A certificate is for a name, hardly ever for the address of this machine.
  if (tls.cert !== undefined && publicUrl !== undefined) return publicUrl
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls.cert === undefined ? 'http' : 'https'}://${address.includes(':') ? `[${address}]` : address}:${port}`
}
