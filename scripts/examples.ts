// Makes the examples of the reference from what tests send and get (docs/decisions/0150).
//   node scripts/examples.ts           runs the tests and writes src/recorded-examples
//   node scripts/examples.ts --check   fails where no test sees an answer like the example any more
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkExamples, writeExamples } from './examples/write.ts'

const AREAS = [
  ...['access', 'commerce', 'content', 'gateway', 'operation', 'rest', 'scrapers', 'webhooks'],
]
/** What only servers of their own are asked. */
const MORE = [
  'test/contract/access/password-reset.test.ts',
  'test/contract/webhooks/disabling.test.ts',
]
const TARGET = fileURLToPath(new URL('../src/recorded-examples', import.meta.url))

const recorded = mkdtempSync(join(tmpdir(), 'entrepot-examples-'))
try {
  runTests()
  const faults = process.argv.includes('--check')
    ? checkExamples(recorded, TARGET)
    : writeExamples(recorded, TARGET)
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} finally {
  rmSync(recorded, { recursive: true })
}

function runTests(): void {
  const files = [...AREAS.map((area) => `test/contract/${area}/sqlite.test.ts`), ...MORE]
  const record = fileURLToPath(new URL('examples/record.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      RECORDED_EXCHANGES: recorded,
      NODE_OPTIONS: `--import=${record}`,
    },
  })
  // A new operation has no example yet, and a test says so: that one is mended by this.
  if (status !== 0) console.error('Some tests failed: no other than of missing examples may.')
}
