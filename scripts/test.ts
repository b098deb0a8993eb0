// Runs the tests with a real PostgreSQL and a real Redis of their own, and removes both afterwards.
//   npm test                          everything but test/long
//   npm run test:long                 what needs size or time: test/long, one file after the other
//   npm test -- test/x.test.ts        some files
//   npm test -- --test-name-pattern   further options go to Node's test runner
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installAllPrograms } from '../test/kit/packages.ts'
import { startTestServices } from '../test/kit/services.ts'
import { dropLeftCopies, makeTemplates } from '../test/kit/template.ts'
import { buildIfStale } from './build.mjs'

/** What is tested beside the code is run by one of them, test/units.test.ts. */
const EVERYTHING = { pattern: 'test/**/*.test.ts', concurrency: 3, timeoutMs: 600_000 }
/** Sizes and times are measured here, so the files share the machine with nobody. */
const LONG = { pattern: 'test/long/*.test.ts', concurrency: 1, timeoutMs: 3_600_000 }
/** Each one that is dropped costs a checkpoint, which others wait for. */
const SWEEP_EVERY_MS = 120_000
const isLong = (file: string) => file.startsWith('test/long/')
/** What takes longest is begun first, so that at the end no core waits for a single long file. */
const LONGEST_FIRST = [
  /\/(console|content)\/(postgres|sqlite)\./,
  /\/kill-(postgres|sqlite)\./,
  /\/(access|gateway|rest|scrapers)\/(plugins-)?(edge|nodes|postgres|sqlite)\./,
  /\/(browser|guides|kill|portable|scale|storage|sequencer-kill|units|usage-nodes|first-start)\./,
  /\/(postgres|sqlite)\./,
  /^test\/contract\//,
  /^test\/conformance\//,
]

const given = process.argv.slice(2)
const options = given.filter((word) => word.startsWith('-') && word !== '--long')
const named = given.filter((word) => !word.startsWith('-'))
const files = chooseFiles().sort(byLength)
// A single long file that is named has its time too.
const { concurrency, timeoutMs } = files.some(isLong) ? LONG : EVERYTHING
if (files.length === 0) {
  console.error(`No test file matches ${named.join(' ') || LONG.pattern}`)
  process.exit(1)
}

// Types are stripped and code compiled once for all test processes, their threads and their children.
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

const startedAtMs = performance.now()
if (named.length === 0) installAllPrograms()
await buildIfStale()
const services = await startTestServices()
const templates = await makeTemplates(services.postgresUrl)
console.log(`PostgreSQL and Redis ready after ${seconds(startedAtMs)}; ${files.length} test files`)

const runner = spawn(process.execPath, runnerArguments(), {
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: COMPILED,
    ...process.env,
    TEST_POSTGRES_URL: services.postgresUrl,
    TEST_REDIS_URL: services.redisUrl,
    ...templates.environment,
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
// Hundreds of them would fill the disk.
let swept = Promise.resolve()
const sweeping = setInterval(() => {
  swept = swept.then(() => dropLeftCopies(services.postgresUrl)).catch(() => {})
}, SWEEP_EVERY_MS)
runner.on('exit', async (code) => {
  clearInterval(sweeping)
  await swept
  await services.stop()
  templates.remove()
  process.exit(code ?? 1)
})

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
}

function chooseFiles(): string[] {
  if (named.length > 0) return globSync(named)
  if (given.includes('--long')) return globSync(LONG.pattern)
  return globSync(EVERYTHING.pattern).filter((file) => !isLong(file))
}

function runnerArguments(): string[] {
  const ordered = new URL('run-in-order.ts', import.meta.url)
  const figures = [String(concurrency), String(timeoutMs)]
  if (options.length === 0) return [fileURLToPath(ordered), ...figures, ...files]
  const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`]
  const whole = ['--import', fileURLToPath(new URL('whole-reports.ts', import.meta.url))]
  return [...whole, '--test', ...limits, '--test-force-exit', ...options, ...files]
}

function byLength(a: string, b: string): number {
  return rank(a) - rank(b) || a.localeCompare(b)
}

function rank(file: string): number {
  const place = LONGEST_FIRST.findIndex((pattern) => pattern.test(file))
  return place < 0 ? LONGEST_FIRST.length : place
}
