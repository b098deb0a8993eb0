// Runs test files in the order in which they are given; `node --test` would sort them by name.
//   node scripts/run-in-order.ts <concurrency> <milliseconds a test may take> <files...>
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

const [concurrency = '', timeoutMs = '', ...files] = process.argv.slice(2)
/** The last thing a file reports is its summary: without one, tests of it may be missing. */
const withoutSummary = new Set(files.map((file) => resolve(file)))
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
events.on('test:summary', ({ file, success }) => {
  if (file !== undefined) withoutSummary.delete(file)
  if (!success) process.exitCode = 1
})
events.on('end', () => {
  for (const file of withoutSummary) {
    console.error(`${file} ended before it had reported all of its tests`)
    process.exitCode = 1
  }
})
events.compose(new spec()).pipe(process.stdout)
