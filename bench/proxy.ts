import type { Bench } from './kit/bench.ts'
import { compare, ratio } from './kit/compare.ts'
import { backendServer, proxyServer } from './kit/nginx.ts'
import { arePeersInstalled, startNginx, startNode } from './kit/proxies.ts'

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
    const installed = arePeersInstalled(context)
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
