import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from './bench.ts'
import { freePort } from './child.ts'
import type { Target } from './compare.ts'
import { nginxSpec } from './nginx.ts'

export async function startNginx(
  context: BenchContext,
  what: string,
  server: (port: number) => string,
): Promise<Target> {
  const port = await freePort()
  const spec = nginxSpec(context.temporaryDirectory(), port, server(port))
  await context.start(spec)
  return { what, url: spec.readyUrl }
}

/** A program of ours or of a peer that takes a port, the backend and whatever else it needs. */
export async function startNode(
  context: BenchContext,
  what: string,
  file: string,
  ...rest: readonly string[]
): Promise<Target> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const args = [join(context.root, file), String(port), ...rest]
  await context.start({ command: process.execPath, args, readyUrl: url })
  return { what, url }
}

/** On one core, as one thread of ours is. */
export async function startCaddy(
  context: BenchContext,
  what: string,
  origin: string,
): Promise<Target> {
  const port = await freePort()
  const directory = context.temporaryDirectory()
  const file = join(directory, 'Caddyfile')
  const site = `http://127.0.0.1:${port} {\n  bind 127.0.0.1\n  reverse_proxy ${origin.slice(7)}\n}\n`
  writeFileSync(file, `{\n  admin off\n  auto_https off\n  log {\n    level ERROR\n  }\n}\n${site}`)
  await context.start({
    command: 'caddy',
    args: ['run', '--config', file, '--adapter', 'caddyfile'],
    env: { GOMAXPROCS: '1', HOME: directory },
    readyUrl: `http://127.0.0.1:${port}/`,
  })
  return { what, url: `http://127.0.0.1:${port}/` }
}

export function arePeersInstalled({ root }: BenchContext): boolean {
  return existsSync(join(root, 'bench/peers/node_modules'))
}
