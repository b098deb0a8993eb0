// Runs test files in the order in which they are given; `node --test` would sort them by name.
//   node scripts/run-in-order.ts <files at once> <milliseconds a test may take> <files...>
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { watchProcessor } from './watch-processor.ts'

/** Files of which the costs are told, when more than these were run. */
const SHOWN = 30
/** So many more while cores have nothing to do: files often wait for a database, a browser or a clock. */
const MORE_WHEN_IDLE = 2
/** A browser wants a core: beside a second one its tests took six times as long. */
const ONE_AT_A_TIME = /\/contract\/(console\/|scrapers\/browser\.)/

const [atOnce = '', timeoutMs = '', ...files] = process.argv.slice(2)
const waiting = files.map((file) => resolve(file))
const running = new Set<string>()
const tookMs = new Map<string, number>()
const totals = new Map<string, number>()
const startedMs = performance.now()
const directory = mkdtempSync(join(tmpdir(), 'entrepot-costs-'))
process.env['TEST_COSTS'] = join(directory, 'costs')

const report = new PassThrough({ objectMode: true })
report.compose(new spec()).pipe(process.stdout)
// What is run one by one is measured, and shares the machine with nobody.
const most = atOnce === '1' ? 1 : Number(atOnce) + MORE_WHEN_IDLE
const processor = watchProcessor(() => begin(most, 1))
begin(Number(atOnce))
process.on('exit', () => {
  if (tookMs.size > SHOWN) console.log(`${describeCosts()}\n${describeCount()}`)
  rmSync(directory, { recursive: true, force: true })
})

/** At most so many of those that wait, until as many run as may. */
function begin(mayRun: number, most = mayRun): void {
  const isAlone = (file: string) => ONE_AT_A_TIME.test(file)
  for (let begun = 0; begun < most && running.size < mayRun; begun++) {
    const isTaken = [...running].some(isAlone)
    const next = waiting.findIndex((file) => !isTaken || !isAlone(file))
    const [file] = next < 0 ? [] : waiting.splice(next, 1)
    if (file === undefined) return
    runFile(file)
  }
}

function runFile(file: string): void {
  running.add(file)
  processor.noteBegin()
  const events = run({
    files: [file],
    timeout: Number(timeoutMs),
    // A connection that a test left open must not hold up a run whose tests are all done.
    execArgv: [
      '--test-force-exit',
      '--import',
      fileURLToPath(import.meta.resolve('./whole-reports.ts')),
    ],
  })
  const told: unknown[] = []
  events.on('test:summary', ({ file: ended, success, duration_ms }) => {
    if (ended !== undefined) tookMs.set(ended, duration_ms)
    if (!success) process.exitCode = 1
  })
  events.on('data', (event) => {
    // What is said of a whole run is said once, of all files.
    if (event.type === 'test:summary' && event.data.file === undefined) return
    if (event.type === 'test:diagnostic' && isTotal(event.data)) return add(event.data.message)
    // One file after the other is told, unless there is only one.
    if (files.length === 1) report.write(event)
    else told.push(event)
  })
  events.on('end', () => {
    for (const event of told) report.write(event)
    running.delete(file)
    // The last thing a file reports is its summary: without one, tests of it may be missing.
    if (!tookMs.has(file)) {
      console.error(`${file} ended before it had reported all of its tests`)
      process.exitCode = 1
    }
    begin(Number(atOnce))
    if (running.size === 0) end()
  })
}

function end(): void {
  processor.stop()
  totals.set('duration_ms', performance.now() - startedMs)
  for (const [name, value] of totals) {
    report.write({ type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}` } })
  }
  // Failures are shown again.
  report.end({ type: 'test:summary', data: { counts: {}, success: !process.exitCode } })
}

function isTotal({ nesting, file }: { nesting: number; file?: string | undefined }): boolean {
  return nesting === 0 && file === undefined
}

function add(message: string): void {
  const [name = '', value] = message.split(' ')
  totals.set(name, (totals.get(name) ?? 0) + Number(value))
}

function describeCount(): string {
  const minutes = ((totals.get('duration_ms') ?? 0) / 60_000).toFixed(1)
  return `${totals.get('pass')} of ${totals.get('tests')} tests passed in ${minutes} minutes`
}

/** What the suite as a whole can be made faster by. */
function describeCosts(): string {
  const used = usedSeconds()
  const all = [...used.values()].reduce((sum, seconds) => sum + seconds, 0)
  const rows = [...tookMs]
    .map(([file, ms]) => ({ file, seconds: ms / 1000, cpu: used.get(file) ?? 0 }))
    .sort((one, other) => other.cpu - one.cpu || other.seconds - one.seconds)
    .slice(0, SHOWN)
    .map(({ file, seconds, cpu }) =>
      [cpu.toFixed(1).padStart(7), seconds.toFixed(1).padStart(7), relative('.', file)].join('  '),
    )
  const idle = `The cores had nothing to do for ${Math.round(processor.idleShare() * 100)} % of the time.`
  const head = `The processor worked ${all.toFixed(0)} s for all files, PostgreSQL, Redis and browsers aside; most for these (seconds of the processor, of the clock):`
  return [idle, head, ...rows].join('\n')
}

function usedSeconds(): Map<string, number> {
  try {
    const lines = readFileSync(join(directory, 'costs'), 'utf8').trim().split('\n')
    return new Map(
      lines.map((line) => {
        const [file = '', seconds] = line.split('\t')
        return [file, Number(seconds)]
      }),
    )
  } catch {
    return new Map()
  }
}
