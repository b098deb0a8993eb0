import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { PROCESS_TOPIC } from './bus/port.ts'
import { createBatches, createLineLog } from './line-log.ts'

/** What a part needs of the log: one wide line for a thing that happened. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

interface LogSettings {
  readonly to: 'file' | 'stdout'
  readonly level: string
  readonly dataDir: string
}

export interface OpenLog {
  readonly log: Logger
  /** For the one line of every request; silent where `info` is not logged. */
  readonly requests: ReturnType<typeof createLineLog>
  /** The file that lines go to; null when they go to standard output. */
  readonly file: string | null
  /** Lines that are finished JSON, for those who write too many to have each one built. */
  writeLines(lines: string): void
  /** Continues in a new file after `rotateLog` moved the old one. */
  reopen(): void
  close(): Promise<void>
}

/** The notice between the threads of a process after `rotateLog` moved the file. */
export const REOPEN_LOG = `${PROCESS_TOPIC}log.reopen`

const MAX_FILE_BYTES = 64 * 1024 * 1024
const FILES_KEPT = 3
/** A write per line costs a request more than the line itself; who reads along waits a moment. */
const IN_BATCHES = { minLength: 32_768, maxWrite: 65_536 }
/** Lines that a full disk keeps waiting must not fill the memory: those beyond are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024
const MOMENT_MS = 100

function logFile(dataDir: string): string {
  return join(dataDir, 'logs', 'entrepot.log')
}

/**
 * Opens the log of one thread. Lines of all threads go to one file; warnings and errors are also
 * shown on the console in a short form, so that nobody has to look for them.
 */
export function openLog({ to, level, dataDir }: LogSettings, thread: string): OpenLog {
  const file = to === 'file' ? logFile(dataDir) : null
  if (file) mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const destination = pino.destination({
    dest: file ?? 1,
    append: true,
    sync: false,
    ...(file ? { ...IN_BATCHES, maxLength: MAX_WAITING_BYTES } : {}),
  })
  outliveFailures(destination, thread)
  // What is ended refuses lines, and whoever is late must not fail by that.
  let isClosed = false
  let willFlush = false
  const sink = {
    write(lines: string) {
      if (isClosed) return
      destination.write(lines)
      if (!file || willFlush) return
      willFlush = true
      setTimeout(flush, MOMENT_MS).unref()
    },
  }
  const streams = [{ level: 'trace' as const, stream: sink }]
  const echo = { level: 'warn' as const, stream: { write: showOnConsole } }
  const log = pino(
    { level, base: { thread }, timestamp: pino.stdTimeFunctions.isoTime },
    file ? pino.multistream([...streams, echo]) : sink,
  )
  const batches = file ? createBatches(sink) : { ...sink, flush() {} }
  // The destination's own timer would write ten times a second although there is nothing to be written.
  function flush() {
    willFlush = false
    if (isClosed) return
    // While a write is under way nothing more is begun, and what came since would stay until the next line: so once more.
    destination.flush(() => {
      if (!isClosed) destination.flush()
    })
  }
  return {
    log,
    requests: log.isLevelEnabled('info') ? createLineLog(batches, thread) : { write() {} },
    file,
    writeLines: (lines) => {
      if (log.isLevelEnabled('info')) sink.write(lines)
    },
    reopen: () => {
      batches.flush()
      destination.reopen()
    },
    close: () =>
      new Promise((resolve) => {
        batches.flush()
        // Not `flush`: that one is over with a write that was under way, whatever came after it.
        destination.once('close', resolve)
        // What a full disk does not take is lost, and must not keep the process from ending.
        destination.once('error', () => destination.destroy())
        destination.end()
        isClosed = true
      }),
  }
}

/** A log that cannot be written, for instance on a full disk, stops nothing and goes on when it can. */
function outliveFailures(destination: ReturnType<typeof pino.destination>, thread: string) {
  let isOpen = false
  let isFailing = false
  const { flushSync } = destination
  destination.once('ready', () => {
    isOpen = true
  })
  destination.on('write', (bytes: number) => {
    if (bytes === 0) return
    isFailing = false
    destination.flushSync = flushSync
  })
  destination.on('error', (error: Error) => {
    // A log that cannot even be opened is a wrong installation, which is told at the start.
    if (!isOpen) throw error
    if (!isFailing) {
      process.stderr.write(`error [${thread}] the log cannot be written: ${error.message}\n`)
    }
    isFailing = true
    // It would try again until it succeeds, and a process that exits calls it.
    destination.flushSync = () => {}
  })
}

/** Moves a full log file aside, oldest of three dropped; true when the threads have to reopen it. */
export function rotateLog(file: string): boolean {
  if (!existsSync(file) || statSync(file).size < MAX_FILE_BYTES) return false
  for (let n = FILES_KEPT - 1; n >= 1; n--) {
    if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`)
  }
  renameSync(file, `${file}.1`)
  return true
}

function showOnConsole(line: string) {
  const { level, time, msg, thread, err } = JSON.parse(line)
  const word = level >= 50 ? 'error' : 'warning'
  const cause = err?.message ? `: ${err.message}` : ''
  process.stderr.write(`${time.slice(11, 19)} ${word} [${thread}] ${msg}${cause}\n`)
}
