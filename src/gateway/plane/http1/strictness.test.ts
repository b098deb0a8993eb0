import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { createRequestFuzzer } from '#test-kit'
import { createBodyReader } from './body-reader.ts'
import { isFault, parseRequest } from './parse-request.ts'

const ROUNDS = 6_000
interface Read {
  readonly method: string
  readonly target: string
  readonly raw: readonly string[]
  body: string
  isWhole: boolean
}

/** The first request in a text, as this gateway reads it; undefined: refused, or more is needed. */
function readHere(text: string): (Read & { rest: string }) | undefined {
  const bytes = Buffer.from(text, 'latin1')
  let start = 0
  while (bytes.toString('latin1', start, start + 2) === '\r\n') start += 2
  const end = bytes.indexOf('\r\n\r\n', start)
  const parsed = end === -1 ? undefined : parseRequest(bytes.toString('latin1', start, end))
  if (parsed === undefined || isFault(parsed) || parsed.method === 'CONNECT') return undefined
  let body = ''
  const reader = createBodyReader((chunk) => {
    body += chunk.toString('latin1')
    return true
  })
  reader.start(parsed.length, parsed.isChunked)
  const at = reader.read(bytes, end + 4)
  if (reader.fault() !== null) return undefined
  const { method, target, rawHeaders: raw } = parsed
  return { method, target, raw, body, isWhole: reader.isDone(), rest: bytes.toString('latin1', at) }
}

/** The same as `node:http` reads it, and whether it found fault with anything. */
async function readByNode(text: string): Promise<{ first: Read | undefined; isFaulty: boolean }> {
  const seen: Read[] = []
  let isFaulty = false
  const take = (request: IncomingMessage) => {
    const { method = '', url: target = '', rawHeaders: raw } = request
    const read: Read = { method, target, raw, body: '', isWhole: false }
    seen.push(read)
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      read.body += chunk.toString('latin1')
    })
    request.on('end', () => {
      read.isWhole = true
    })
  }
  const server = createServer({ requireHostHeader: false }, take)
  server.on('clientError', (_error, socket) => {
    isFaulty = true
    socket.destroy()
  })
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  socket.on('error', () => {})
  server.emit('connection', socket)
  socket.push(Buffer.from(text, 'latin1'))
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  socket.destroy()
  return { first: seen[0], isFaulty }
}

test('gateway 16: nothing is taken that node:http refuses, and nothing is read differently', async () => {
  const next = createRequestFuzzer(20_261)
  let agreed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const text = next()
    const here = readHere(text)
    if (!here) continue
    const { rest, ...ours } = here
    const { first, isFaulty } = await readByNode(text)
    const about = JSON.stringify(text)
    if (!first) assert.equal(isFaulty, false, `refused elsewhere: ${about}`)
    // Where bytes are left, the other parser has gone on to the next request already.
    else if (rest === '') assert.deepEqual(ours, first, about)
    else
      assert.deepEqual(
        [ours.method, ours.target, ours.raw],
        [first.method, first.target, first.raw],
      )
    agreed++
  }
  assert.ok(agreed > ROUNDS / 10, `${agreed} were requests at all`)
})
