import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const TICKS_PER_SECOND = 100

// Loaded before each test file. A test process ends as soon as its tests are done, and what it has not
// written by then is lost: on a pipe Node writes without waiting, so a run could be green with
// tests missing from it. A blocking pipe holds nothing back.
const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): void } }
_handle?.setBlocking?.(true)

// Seconds of the processor that the file took, with the servers that it started and has seen end.
const { TEST_COSTS: costs } = process.env
if (costs !== undefined && isMainThread) {
  process.on('exit', () => {
    try {
      const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      appendFileSync(costs, `${process.argv[1]}\t${ticks / TICKS_PER_SECOND}\n`)
    } catch {
      // Not Linux.
    }
  })
}
