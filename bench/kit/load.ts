import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAX_SECONDS = 60
const PATHS_SCRIPT = fileURLToPath(new URL('paths.lua', import.meta.url))
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

export type LoadTool = 'wrk' | 'autocannon'

export interface Load {
  readonly url: string
  /** Asked in place of the URL's own path, each once; the load ends early when none is left. */
  readonly paths?: readonly string[]
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** No more than so many; as many as are answered when absent. */
  readonly perSecond?: number
}

export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** wrk spends less of the machine on itself, so it is taken when it is there. */
export function chooseTool(path = process.env['PATH'] ?? ''): LoadTool {
  const found = path.split(delimiter).some((directory) => existsSync(join(directory, 'wrk')))
  return found ? 'wrk' : 'autocannon'
}

/**
 * Sends GET requests for a while. Only to this machine and not for long: a typing mistake must not
 * load somebody's server. An answer other than 2xx, or none, makes the measurement fail.
 */
export async function measure(tool: LoadTool, load: Load): Promise<Measured> {
  const { hostname } = new URL(load.url)
  if (!LOOPBACK.includes(hostname)) throw new Error(`${hostname} is not this machine`)
  if (!(load.seconds > 0 && load.seconds <= MAX_SECONDS)) {
    throw new Error(`a load lasts from 1 to ${MAX_SECONDS} seconds`)
  }
  if (load.paths) return askOnce(tool, load, load.paths)
  // wrk knows no rate.
  const isLimited = load.perSecond !== undefined
  return tool === 'wrk' && !isLimited ? withWrk(load) : withAutocannon(load)
}

/** Only wrk can be told to ask another path each time. */
async function askOnce(tool: LoadTool, load: Load, paths: readonly string[]): Promise<Measured> {
  if (tool !== 'wrk') throw new Error('this needs wrk; npm run bench:peers installs it')
  if (paths.length <= load.connections) throw new Error('there are too few questions')
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-bench-'))
  try {
    const file = join(directory, 'paths')
    writeFileSync(file, paths.join('\n'))
    return await withWrk(load, ['-s', PATHS_SCRIPT], ['--', file, String(load.connections)])
  } finally {
    rmSync(directory, { recursive: true })
  }
}

async function withWrk(
  { url, connections, seconds, headers = {} }: Load,
  script: readonly string[] = [],
  argumentsOfScript: readonly string[] = [],
): Promise<Measured> {
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const size = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`]
  const options = [...size, '--latency', '--timeout', '10s', ...named, ...script]
  const { stdout } = await run('wrk', [...options, url, ...argumentsOfScript])
  return parseWrk(stdout)
}

export function parseWrk(output: string): Measured {
  const failed = /Socket errors: .*[1-9].*|Non-2xx or 3xx responses: \d+/.exec(output)
  if (failed) throw new Error(`requests failed under load: ${failed[0]}`)
  const perSecond = endedEarly(output) ?? Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
  if (!(perSecond > 0)) throw new Error(`wrk reported no requests:\n${output}`)
  return { perSecond, p50Ms: percentile('50'), p99Ms: percentile('99') }

  function percentile(share: string): number {
    const [, figure, unit] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? []
    const factors: Record<string, number> = { us: 0.001, ms: 1, s: 1000 }
    return Number(figure) * (factors[unit ?? ''] ?? Number.NaN)
  }
}

/** As `paths.lua` tells it. */
function endedEarly(output: string): number | undefined {
  const [, answered, micros] = /^All asked: (\d+) in (\d+)us$/m.exec(output) ?? []
  return answered === undefined ? undefined : (Number(answered) / Number(micros)) * 1e6
}

async function withAutocannon({ url, connections, seconds, headers = {}, perSecond }: Load) {
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const rate = perSecond === undefined ? [] : ['-R', String(Math.ceil(perSecond))]
  const size = ['-c', String(connections), '-d', String(seconds), ...rate]
  const { stdout } = await run(process.execPath, [program, '--json', ...size, ...named, url])
  return parseAutocannon(stdout)
}

export function parseAutocannon(output: string): Measured {
  const report: {
    requests: { average: number }
    latency: { p50: number; p99: number }
    errors: number
    timeouts: number
    non2xx: number
  } = JSON.parse(output)
  const failed = report.errors + report.timeouts + report.non2xx
  if (failed > 0) throw new Error(`requests failed under load: ${failed}`)
  const { p50, p99 } = report.latency
  return { perSecond: report.requests.average, p50Ms: p50, p99Ms: p99 }
}
