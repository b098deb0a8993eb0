// Runs the tests with a real PostgreSQL and a real Redis of their own, and removes both afterwards.
//   npm test                          everything
//   npm test -- test/x.test.ts        some files
//   npm test -- --test-name-pattern   further options go to Node's test runner
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startTestServices } from '../test/kit/services.ts'

const PATTERNS = ['{src,scripts,test,bench/kit}/**/*.test.ts']
const RUNNER = [
  '--test',
  '--test-concurrency=3',
  '--test-timeout=600000',
  // A connection that a test left open must not hold up a run whose tests are all done.
  '--test-force-exit',
]

const given = process.argv.slice(2)
const options = given.filter((word) => word.startsWith('-'))
const named = given.filter((word) => !word.startsWith('-'))
const files = globSync(named.length > 0 ? named : PATTERNS).sort()
if (files.length === 0) {
  console.error(`No test file matches ${named.join(' ')}`)
  process.exit(1)
}

// Types are stripped and code compiled once for all test processes, their threads and their children.
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

const startedAtMs = performance.now()
const services = await startTestServices()
console.log(`PostgreSQL and Redis ready after ${seconds(startedAtMs)}; ${files.length} test files`)

const runner = spawn(process.execPath, [...RUNNER, ...options, ...files], {
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: COMPILED,
    ...process.env,
    TEST_POSTGRES_URL: services.postgresUrl,
    TEST_REDIS_URL: services.redisUrl,
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
runner.on('exit', async (code) => {
  await services.stop()
  process.exit(code ?? 1)
})

function seconds(sinceMs: number): string {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
}
