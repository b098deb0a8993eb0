import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { EventStream, EventStreams } from '#http'
import { type Log, unavailable } from '#kernel'
import { isLive, type Run } from './records.ts'
import { renderRun } from './render.ts'
import { findStream, type StreamLine } from './store/log.ts'
import type { RunStore } from './store/runs.ts'
import type { ScrapersTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly runs: RunStore
  readonly eventStreams: Pick<EventStreams, 'open'>
  readonly log: Log
  /** The usage record of an answer that is taken over; false when it cannot be kept. */
  recordUsage(request: FastifyRequest): boolean
}

const LINES_AT_ONCE = 200
/** At most twice a second. */
const PROGRESS_EVERY_MS = 500

/** What a run does, as it does it (scrapers contract §8). */
export function createProgress({ db, runs, eventStreams, log, recordUsage }: Deps) {
  const reader: Kysely<ScrapersTables> = db.main.reader
  return { open }

  /** Takes over the answer: replays after `lastId`, then follows until the run is over. */
  function open(request: FastifyRequest, reply: FastifyReply, run: Run, lastId: number) {
    if (!recordUsage(request)) throw unavailable('usage_unavailable', 'Usage cannot be recorded')
    const leaving = new AbortController()
    const stream = eventStreams.open(request, reply, { lastId, onClose: () => leaving.abort() })
    void follow(stream, run, lastId, leaving.signal).catch((error) => {
      log.error({ err: error, run: run.id }, 'a progress stream ended early')
      stream.end()
    })
    return reply
  }

  async function follow(stream: EventStream, first: Run, lastId: number, left: AbortSignal) {
    let position = lastId
    let shown = ''
    for (;;) {
      // The state is read first: lines written before a final state are then all there.
      const run = await runs.find(reader, first.scraperId, first.id)
      if (!run || !stream.isOpen) return stream.end()
      position = await showLines(stream, run.id, position)
      const progress = countersOf(run)
      const text = JSON.stringify(progress)
      if (text !== shown) stream.send('progress', progress, null)
      shown = text
      if (!isLive(run.status)) {
        stream.send('done', renderRun(run), position)
        return stream.end()
      }
      await delay(PROGRESS_EVERY_MS, undefined, { signal: left }).catch(() => {})
    }
  }

  /** Answers the number of the last line that was shown. */
  async function showLines(stream: EventStream, runId: number, afterId: number): Promise<number> {
    let position = afterId
    for (;;) {
      const lines = await findStream(reader, runId, position, LINES_AT_ONCE)
      for (const line of lines) show(stream, line)
      position = lines.at(-1)?.id ?? position
      await stream.drained()
      if (lines.length < LINES_AT_ONCE || !stream.isOpen) return position
    }
  }
}

export type Progress = ReturnType<typeof createProgress>

function show(stream: EventStream, line: StreamLine) {
  if ('item' in line) stream.send('item', line.item, line.id)
  else {
    const { level, message, url } = line.line
    stream.send('log', { level, message, url }, line.id)
  }
}

function countersOf(run: Run) {
  const { config: _, ...counters } = renderRun(run)
  return counters
}
