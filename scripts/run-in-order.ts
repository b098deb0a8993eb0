// Runs test files in the order in which they are given; `node --test` would sort them by name.
//   node scripts/run-in-order.ts <concurrency> <milliseconds a test may take> <files...>
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

/** Files of which the costs are told, when more than these were run. */
const SHOWN = 30
const [concurrency = '', timeoutMs = '', ...files] = process.argv.slice(2)
/** The last thing a file reports is its summary: without one, tests of it may be missing. */
const withoutSummary = new Set(files.map((file) => resolve(file)))
const tookMs = new Map<string, number>()
const directory = mkdtempSync(join(tmpdir(), 'entrepot-costs-'))
process.env['TEST_COSTS'] = join(directory, 'costs')
const events = run({
  files,
  concurrency: Number(concurrency),
  timeout: Number(timeoutMs),
  // A connection that a test left open must not hold up a run whose tests are all done.
  execArgv: [
    '--test-force-exit',
    '--import',
    fileURLToPath(import.meta.resolve('./whole-reports.ts')),
  ],
})
let count = ''
events.on('test:summary', ({ file, success, duration_ms, counts }) => {
  if (file !== undefined) {
    withoutSummary.delete(file)
    tookMs.set(file, duration_ms)
  } else {
    count = `${counts.passed} of ${counts.tests} tests passed in ${(duration_ms / 60_000).toFixed(1)} minutes`
  }
  if (!success) process.exitCode = 1
})
events.on('end', () => {
  for (const file of withoutSummary) {
    console.error(`${file} ended before it had reported all of its tests`)
    process.exitCode = 1
  }
})
events.compose(new spec()).pipe(process.stdout)
process.on('exit', () => {
  if (tookMs.size > SHOWN) console.log(`${describeCosts()}\n${count}`)
  rmSync(directory, { recursive: true, force: true })
})

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
  const head = `The processor worked ${all.toFixed(0)} s for all files, PostgreSQL and Redis aside; most for these (seconds of the processor, of the clock):`
  return [head, ...rows].join('\n')
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
