import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough, pipeline } from 'node:stream'
import { parentPort, workerData } from 'node:worker_threads'
import { createClock } from '#kernel'
import { READY, STOP, settleThread } from '#threads'
import { createSharedCounters } from '../../../src/kernel/counters/shared-memory.ts'
import type { JournalAddress } from '../../../src/kernel/journal/address.ts'
import { endAfter, holdAnswer, holdLastChunk } from '../../../src/kernel/journal/held-answer.ts'
import { createJournalWriter } from '../../../src/kernel/journal/writer.ts'
import { MINUTE, MONTH, MONTH_LIMIT, type UsageRecord } from './usage.ts'

export interface ThreadData {
  readonly name: string
  readonly ownerId: number
  readonly port: number
  readonly clock: SharedArrayBuffer
  readonly counters: SharedArrayBuffer
  readonly journal: JournalAddress
}

// The supervisor passes what `ThreadData` says; a worker's data has no type of its own.
const data: ThreadData = workerData
const parent = parentPort
if (!parent) throw new Error('a gateway thread needs a parent')
const clock = createClock(data.clock)
const counters = createSharedCounters({ clock, shared: data.counters, ownerId: data.ownerId })
const log = { error: console.error }
const writer = createJournalWriter({ address: data.journal, name: data.name, clock, log })
const waiting = new Map<string, () => void>()

parent.on('message', (message: unknown) => {
  if (message === STOP) stop()
  else if (typeof message === 'string') waiting.get(message)?.()
})
const server = createServer(serve).listen({ port: data.port, host: '127.0.0.1', reusePort: true })
await once(server, 'listening')
parent.postMessage(READY)
settleThread()

async function serve(req: IncomingMessage, res: ServerResponse) {
  const { searchParams } = new URL(req.url ?? '/', 'http://proof')
  const ask = (name: string) => searchParams.get(name) ?? ''
  if (!writer.hasRoom()) return void res.writeHead(503).end()

  const key = ask('key')
  const { allowed, nowMs } = counters.addSync([
    { name: `minute:${key}`, window: MINUTE, amount: 1, limit: null, keepRefused: true },
    {
      name: `month:${key}`,
      window: MONTH,
      amount: Number(ask('cost')),
      limit: MONTH_LIMIT[key] ?? null,
    },
  ])
  const request = ask('id')
  const cost = allowed ? Number(ask('cost')) : 0
  const record = (status: number) =>
    writer.append({ request, key, cost, status, atMs: nowMs } satisfies UsageRecord)
  res.statusCode = allowed ? 200 : 429
  if (allowed && ask('write') === '1') await written(request)
  send(res, ask('mode'), `answer to ${request}`, record)
}

/** The domain write happens in the main thread, as it does for a real gateway thread. */
function written(id: string): Promise<void> {
  return new Promise((resolve) => {
    waiting.set(id, () => {
      waiting.delete(id)
      resolve()
    })
    parent?.postMessage(id)
  })
}

function send(res: ServerResponse, mode: string, text: string, record: (s: number) => boolean) {
  const body = Buffer.from(text)
  if (mode === 'whole') {
    endAfter(res, body, record)
  } else if (mode === 'length') {
    res.setHeader('content-length', body.length)
    const answer = holdAnswer(res, { length: body.length, record })
    for (let at = 0; at < body.length; at += 10) answer.write(body.subarray(at, at + 10))
    answer.end()
  } else {
    const source = new PassThrough()
    pipeline(source, holdLastChunk(res, { record }), res, () => {})
    source.write(body.subarray(0, 10))
    source.end(body.subarray(10))
  }
}

function stop() {
  server.close()
  server.closeAllConnections()
  writer.close()
  process.exit(0)
}
