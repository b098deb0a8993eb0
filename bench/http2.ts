import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench, Speed } from './kit/bench.ts'
import { median, ratio } from './kit/compare.ts'
import type { Measured } from './kit/load.ts'
import { backendServer } from './kit/nginx.ts'
import { startNginx, startNode } from './kit/proxies.ts'

const GATEWAY = 'gateway, 1 thread'
const BARE = 'bare node:http2 proxy'
const STREAMS = 32
const run = promisify(execFile)

const http2: Bench = {
  name: 'http2',
  summary: `a plain route over one connection of HTTP/2 with ${STREAMS} streams; needs h2load (nghttp2-client)`,
  async run(context) {
    const { rounds, secondsPerRound, say } = context
    const { url } = await startNginx(context, 'the backend', backendServer)
    const { origin } = new URL(url)
    const directory = context.temporaryDirectory()
    const own = ['bench/targets/gateway.ts', origin, '1', '10', directory] as const
    const targets = [
      await startNode(context, GATEWAY, ...own),
      await startNode(context, BARE, 'bench/targets/bare-http2.ts', origin),
    ]
    const found = new Map<string, Measured[]>(targets.map(({ what }) => [what, []]))
    for (const target of targets) await load(target.url, 1, directory)
    for (let round = 1; round <= rounds; round++) {
      for (const { what, url } of targets) {
        say(`round ${round} of ${rounds}: ${what}`)
        found.get(what)?.push(await load(url, secondsPerRound, directory))
      }
    }
    const speeds: Speed[] = [...found].map(([what, all]) => ({
      what,
      perSecond: median(all.map(({ perSecond }) => perSecond)),
      p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
      eachPerSecond: all.map(({ perSecond }) => perSecond),
    }))
    const value = ratio(speeds, GATEWAY, BARE)
    return {
      speeds,
      figures: [{ what: `${GATEWAY} / ${BARE}`, value, unit: 'x', must: { atLeast: 0.8 } }],
    }
  },
}
export default http2

/** Fails when one of the requests did. */
async function load(url: string, seconds: number, directory: string): Promise<Measured> {
  const file = join(directory, 'requests')
  const options = ['-c1', `-m${STREAMS}`, `-D${seconds}`, `--log-file=${file}`]
  const { stdout } = await run('h2load', [...options, url])
  const [, failed = '1'] = /(\d+) failed/.exec(stdout) ?? []
  if (failed !== '0') throw new Error(`${failed} requests failed:\n${stdout}`)
  // Lines of start, status and microseconds.
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  rmSync(file)
  const times = lines.map((line) => Number(line.split('\t')[2]) / 1000).sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}
