import { join } from 'node:path'
import type { Bench, BenchContext } from './kit/bench.ts'
import { freePort } from './kit/child.ts'
import { compare, ratio, type Target } from './kit/compare.ts'
import { serverSpec } from './kit/entrepot.ts'

const BARE = 'bare node:http'
const FASTIFY = 'bare Fastify'
const OURS = 'entrepot /health'

const http: Bench = {
  name: 'http',
  summary: 'bare node:http, bare Fastify and our /health through the full stack',
  async run(context) {
    const speeds = await compare(context, [
      await bare(context, BARE, 'bare-http.ts'),
      await bare(context, FASTIFY, 'bare-fastify.ts'),
      await ours(context),
    ])
    return {
      speeds,
      figures: [
        { what: `${FASTIFY} / ${BARE}`, value: ratio(speeds, FASTIFY, BARE), unit: 'x' },
        { what: `${OURS} / ${BARE}`, value: ratio(speeds, OURS, BARE), unit: 'x' },
        { what: `${OURS} / ${FASTIFY}`, value: ratio(speeds, OURS, FASTIFY), unit: 'x' },
      ],
    }
  },
}
export default http

async function bare(context: BenchContext, what: string, file: string): Promise<Target> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const args = [join(context.root, 'bench/targets', file), String(port)]
  await context.start({ command: process.execPath, args, readyUrl: url })
  return { what, url }
}

async function ours(context: BenchContext): Promise<Target> {
  const { spec, url } = await serverSpec(context.root, context.temporaryDirectory())
  await context.start(spec)
  return { what: OURS, url: `${url}/health` }
}
