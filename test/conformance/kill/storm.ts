// Three threads that do nothing but append to a journal, each telling what it appended, until the
// process is killed: so the kill falls into an append more often than not.
import { writeSync } from 'node:fs'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { createClock, random } from '#kernel'
import type { JournalAddress } from '../../../src/kernel/journal/address.ts'
import { openJournal } from '../../../src/kernel/journal/open.ts'
import { createJournalWriter } from '../../../src/kernel/journal/writer.ts'

const STDOUT = 1
const THREADS = 3
const LONGEST = 60_000
const clock = createClock()

if (isMainThread) {
  const directory = process.argv[2] ?? ''
  const { address } = openJournal({ directory, clock, random, maxTotalBytes: 2 ** 32 })
  for (let thread = 0; thread < THREADS; thread++) {
    new Worker(new URL(import.meta.url), { workerData: { address, thread } })
  }
} else appendForEver(workerData)

function appendForEver({ address, thread }: { address: JournalAddress; thread: number }) {
  const log = { error: console.error }
  const writer = createJournalWriter({ address, name: `storm${thread}`, clock, log })
  const padding = 'x'.repeat(LONGEST)
  for (let number = 0; ; number++) {
    const length = (number * 7_919) % LONGEST
    const name = `${address.boot} ${thread} ${number}`
    if (!writer.append({ name, padding: padding.slice(0, length) })) throw new Error('not appended')
    // Shorter than a pipe's atomic write, so the lines of the threads do not mix.
    writeSync(STDOUT, `${name}\n`)
  }
}
