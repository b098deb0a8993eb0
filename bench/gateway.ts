import { availableParallelism } from 'node:os'
import type { Bench, BenchContext, Figure } from './kit/bench.ts'
import { addedLatencyMs, compare, ratio, type Target } from './kit/compare.ts'
import { GUARDED, PLAIN, SOLD, startGuardedRoutes } from './kit/guarded-routes.ts'
import { backendServer, proxyServer } from './kit/nginx.ts'
import { arePeersInstalled, startCaddy, startNginx, startNode } from './kit/proxies.ts'

const NGINX = 'nginx, 1 worker'
const CADDY = 'Caddy, GOMAXPROCS=1'
const FASTIFY = '@fastify/http-proxy'
const ONE = 'gateway, 1 thread'
const MANY = 'gateway, 1 thread, 10,000 routes'
const TWO = 'gateway, 2 threads'
const SCRIPTED = 'gateway, 1 thread, script that sets a header'
const OTHER = 'gateway, 1 thread, other checkout'

const SCRIPT = "(conf, ctx) => { ctx.request.setHeader('X-Script', 'ran') }"

const gateway: Bench = {
  name: 'gateway',
  summary: 'a plain route through the gateway against other proxies, same backend',
  effort: { rounds: 9, secondsPerRound: 1 },
  async run(context) {
    const backend = await startNginx(context, 'the backend itself', backendServer)
    const { port, origin } = new URL(backend.url)
    const one = await startGateway(context, ONE, origin, { threads: 1, routes: 10 })
    const targets: Target[] = [
      await startNginx(context, NGINX, (own) => proxyServer(own, Number(port))),
      await startCaddy(context, CADDY, origin),
      one,
      await startGateway(context, MANY, origin, { threads: 1, routes: 10_000 }),
      await startGateway(context, SCRIPTED, origin, { threads: 1, routes: 10, script: SCRIPT }),
      await startGateway(context, TWO, origin, { threads: 2, routes: 10 }),
    ]
    targets.push(...(await startGuardedRoutes(context, origin)))
    const { than } = context
    if (than !== null) {
      const other = { ...context, root: than }
      targets.push(await startGateway(other, OTHER, origin, { threads: 1, routes: 10 }))
    }
    const hasPeers = arePeersInstalled(context)
    const peer = 'bench/peers/http-proxy.mjs'
    if (hasPeers) targets.push(await startNode(context, FASTIFY, peer, origin))
    else context.say(`${FASTIFY} left out: npm run bench:peers installs it`)

    const speeds = await compare(context, targets)
    const fullRate = speeds.find(({ what }) => what === ONE)?.perSecond ?? Number.NaN
    const addedMs = await addedLatencyMs(context, { through: one, behind: backend, fullRate })
    const figure = (what: string, against: string, atLeast?: number): Figure => ({
      what: `${what} / ${against}`,
      value: ratio(speeds, what, against),
      unit: 'x',
      ...(atLeast === undefined ? {} : { must: { atLeast } }),
    })
    // Two threads, the backend and the load need a core each to show what a second one brings.
    const isRoomy = availableParallelism() >= 4
    return {
      speeds,
      figures: [
        figure(ONE, NGINX, 0.2),
        figure(ONE, CADDY, 1.2),
        ...(hasPeers ? [figure(ONE, FASTIFY, 2.2)] : []),
        ...(than === null ? [] : [figure(ONE, OTHER, 0.95)]),
        figure(MANY, ONE, 0.9),
        figure(GUARDED, PLAIN, 0.7),
        figure(SOLD, PLAIN, 0.7),
        figure(SCRIPTED, ONE, 0.4),
        figure(TWO, ONE, isRoomy ? 1.6 : undefined),
        { what: 'added at half load, p99', value: addedMs, unit: 'ms', must: { atMost: 5 } },
      ],
    }
  },
}
export default gateway

interface Size {
  readonly threads: number
  readonly routes: number
  readonly script?: string
}

function startGateway(context: BenchContext, what: string, origin: string, size: Size) {
  const { threads, routes, script = '' } = size
  const rest = [origin, String(threads), String(routes), context.temporaryDirectory(), script]
  return startNode(context, what, 'bench/targets/gateway.ts', ...rest)
}
