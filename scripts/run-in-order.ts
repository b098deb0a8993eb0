// Runs test files in the order in which they are given; `node --test` would sort them by name.
//   node scripts/run-in-order.ts <concurrency> <milliseconds a test may take> <files...>
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const [concurrency = '', timeoutMs = '', ...files] = process.argv.slice(2)
const events = run({
  files,
  concurrency: Number(concurrency),
  timeout: Number(timeoutMs),
  // A connection that a test left open must not hold up a run whose tests are all done.
  execArgv: ['--test-force-exit'],
})
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1
})
events.compose(new spec()).pipe(process.stdout)
