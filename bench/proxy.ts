import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, BenchContext } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { compare, ratio, type Target } from './kit/compare.ts'
import { backendServer, nginxSpec, proxyServer } from './kit/nginx.ts'

const BACKEND = 'the backend itself'
const NGINX = 'nginx, 1 worker'
const BARE = 'bare node:http + undici'
const FASTIFY = '@fastify/http-proxy'

const proxy: Bench = {
  name: 'proxy',
  summary: 'a bare node:http + undici proxy against nginx, same backend',
  async run(context) {
    const backend = await startNginx(context, BACKEND, backendServer)
    const { port: backendPort, origin } = new URL(backend.url)
    const targets = [
      backend,
      await startNginx(context, NGINX, (port) => proxyServer(port, Number(backendPort))),
      await startNode(context, BARE, 'bench/targets/bare-proxy.ts', origin),
    ]
    const peer = 'bench/peers/http-proxy.mjs'
    const installed = existsSync(join(context.root, 'bench/peers/node_modules'))
    if (installed) targets.push(await startNode(context, FASTIFY, peer, origin))
    else context.say(`${FASTIFY} left out: npm run bench:peers installs it`)

    const speeds = await compare(context, targets)
    // What our gateway has to reach too; a bare proxy below it says that the platform got slower.
    const must = { atLeast: 0.15 }
    return {
      speeds,
      figures: [
        { what: `${BARE} / ${NGINX}`, value: ratio(speeds, BARE, NGINX), unit: 'x', must },
        ...(installed
          ? [
              {
                what: `${BARE} / ${FASTIFY}`,
                value: ratio(speeds, BARE, FASTIFY),
                unit: 'x' as const,
              },
            ]
          : []),
      ],
    }
  },
}
export default proxy

async function startNginx(
  context: BenchContext,
  what: string,
  server: (port: number) => string,
): Promise<Target> {
  const port = await freePort()
  const spec = nginxSpec(context.temporaryDirectory(), port, server(port))
  await context.start(spec)
  return { what, url: spec.readyUrl }
}

async function startNode(
  context: BenchContext,
  what: string,
  file: string,
  origin: string,
): Promise<Target> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const args = [join(context.root, file), String(port), origin]
  await context.start({ command: process.execPath, args, readyUrl: url })
  return { what, url }
}
