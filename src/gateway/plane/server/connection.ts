import { createBodyReader } from '../http1/body-reader.ts'
import { BODY_FAULTS, FAILED, type Fault, MALFORMED, TOO_SLOW } from '../http1/faults.ts'
import { createInbox } from '../http1/inbox.ts'
import { isFault, type RequestHead, wantsKeepAlive } from '../http1/parse-request.ts'
import { NO_TRAILERS, wantsTrailers } from '../http1/trailers.ts'
import {
  CONTINUE,
  framingOf,
  IN_CHUNKS,
  renderAnswerHead,
  renderHints,
  renderRefusal,
  UNTIL_CLOSE,
} from './answer-head.ts'
import { createAnswerWriter } from './answer-writer.ts'
import type { Arrival, Client, ClientConnection, ConnectionOwner, Service } from './client.ts'
import { createHeadReader } from './head-reader.ts'

/** Of what a client sends ahead. */
const MAX_KEPT_BYTES = 64 * 1024
const CLOSE = 'Connection: close\r\n\r\n'
const KEEP = 'Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'

const IN_HEAD = 0
const BUSY = 1
/** The answer has left, the rest of the request's body has not come. */
const DISCARDING = 2
const CLOSING = 3
const DETACHED = 4

/** One connection of a client: requests are served one after the other, each to its end. */
export function serveConnection<T>(
  { socket, peer, entrance }: Arrival,
  service: Service<T>,
  owner: ConnectionOwner,
): ClientConnection {
  const inbox = createInbox()
  const heads = createHeadReader(inbox)
  const body = createBodyReader(takePiece)
  let state = IN_HEAD
  let exchange: T | undefined
  let request: RequestHead | undefined
  let deadline = owner.tick() + owner.limits.headTicks
  let isAdvancing = false
  let isPaused = false
  // Of the body that comes.
  let isWanted = false
  let isHeldUp = false
  // Of the answer.
  const answer = createAnswerWriter(socket)
  let isEnded = false
  let hasPeerEnded = false
  const client: Client = {
    peer,
    isTls: owner.isTls,
    entrance,
    closes: false,
    ownLines: '',
    hint,
    begin,
    flush: answer.flush,
    write: answer.write,
    end,
    takeBody,
    resumeBody,
    destroy: () => void socket.destroy(),
    detach,
  }
  const connection: ClientConnection = {
    isIdle,
    // Answers say so while the listener drains.
    retire() {},
    check,
    destroy: client.destroy,
  }
  const onData = safely(read)
  const onEnd = safely(peerEnded)
  const onDrain = safely(drained)
  const advanceLater = safely(advance)
  socket.on('data', onData)
  socket.on('end', onEnd)
  socket.on('drain', onDrain)
  socket.on('error', () => {})
  socket.on('close', safely(closed))
  return connection

  /** A fault of our own costs this connection and no other. */
  function safely<A>(work: (given: A) => void): (given: A) => void {
    return (given) => {
      try {
        work(given)
      } catch (error) {
        owner.report(error)
        // Before there was an exchange, nobody else could answer.
        if (state === BUSY && exchange === undefined && !isEnded) refuse(FAILED)
        else socket.destroy()
      }
    }
  }

  function read(chunk: Buffer) {
    if (state === CLOSING) return
    inbox.add(chunk)
    advance()
  }

  /** Uses what has come as far as the state permits; what it causes may call it again. */
  function advance() {
    if (isAdvancing) return
    isAdvancing = true
    while (inbox.size() > 0 && step());
    isAdvancing = false
    settleReading()
  }

  /** False: nothing more can be used now. */
  function step(): boolean {
    if (state === IN_HEAD) return readHead()
    if (state === DISCARDING || (state === BUSY && isWanted && !isHeldUp)) return readBody()
    return false
  }

  /** A client that sends ahead has to wait. */
  function settleReading() {
    const mustPause = state < CLOSING && (isHeldUp || inbox.size() > MAX_KEPT_BYTES)
    if (mustPause === isPaused) return
    isPaused = mustPause
    if (mustPause) socket.pause()
    else socket.resume()
  }

  function readHead(): boolean {
    const wasBegun = heads.isBegun()
    const found = heads.read()
    if (found === undefined) {
      if (heads.isBegun() && !wasBegun) deadline = owner.tick() + owner.limits.headTicks
      return false
    }
    if (isFault(found)) return refuse(found)
    begun(found)
    return true
  }

  function begun(parsed: RequestHead) {
    state = BUSY
    deadline = 0
    request = parsed
    isWanted = false
    isHeldUp = false
    isEnded = false
    client.closes = !wantsKeepAlive(parsed)
    client.ownLines = ''
    body.start(parsed.length, parsed.isChunked)
    exchange = service.open(parsed, client)
    service.run(exchange)
  }

  function readBody(): boolean {
    inbox.use(body.read(inbox.bytes(), inbox.start()))
    const fault = body.fault()
    if (fault !== null) return breakOff(BODY_FAULTS[fault])
    if (state === DISCARDING) {
      deadline = owner.tick() + owner.limits.headTicks
      if (!body.isDone()) return false
      next()
      return true
    }
    if (!body.isDone()) return false
    isWanted = false
    isHeldUp = false
    if (exchange !== undefined) service.bodyEnd(exchange, body.trailers())
    return true
  }

  function takePiece(chunk: Buffer): boolean {
    if (state === DISCARDING || exchange === undefined) return true
    isHeldUp = !service.body(exchange, chunk)
    return !isHeldUp
  }

  function takeBody() {
    if (request?.expect !== undefined && !request.isOld) socket.write(CONTINUE, 'latin1')
    isWanted = true
    advance()
  }

  function resumeBody() {
    isHeldUp = false
    advance()
  }

  function breakOff({ status, message }: Fault): boolean {
    if (state === DISCARDING || exchange === undefined) {
      socket.destroy()
      return false
    }
    inbox.clear()
    client.closes = true
    service.bodyFault(exchange, status, message)
    return false
  }

  function hint(headers: readonly string[]) {
    if (request && !request.isOld) socket.write(renderHints(headers), 'latin1')
  }

  function begin(status: number, headers: readonly string[]) {
    if (!request) return
    const { method, isOld, expect } = request
    const framing = framingOf(status, headers, { isHead: method === 'HEAD', isOld })
    // Who waited for leave to send and got an answer may send the body all the same, or not.
    const isUnsure = expect !== undefined && !isWanted && !body.isDone()
    if (framing === UNTIL_CLOSE || isUnsure || owner.isDraining()) client.closes = true
    const lines = framing === IN_CHUNKS ? CHUNKED : ''
    const end = `${client.ownLines}${lines}${client.closes ? CLOSE : KEEP}`
    answer.begin(renderAnswerHead(status, headers, { date: owner.date(), end }), framing)
  }

  function end(chunk: Buffer | null, trailers: readonly string[] = NO_TRAILERS) {
    isEnded = true
    if (socket.destroyed) return
    const mayHave = trailers.length > 0 && request !== undefined && wantsTrailers(request)
    answer.end(chunk, mayHave ? trailers : NO_TRAILERS)
    // While the upstream still sends, its own connection watches over a client that takes nothing.
    if (socket.writableLength > 0) socket.setTimeout(owner.stuckMs, client.destroy)
    if (client.closes) close()
    else if (socket.writableLength === 0) answered()
    else
      socket.write(
        '',
        'latin1',
        safely((error) => void (error || taken())),
      )
  }

  function taken() {
    socket.setTimeout(0, client.destroy)
    answered()
  }

  function answered() {
    finish(true)
    if (body.isDone()) return next()
    state = DISCARDING
    deadline = owner.tick() + owner.limits.headTicks
    isHeldUp = false
    later()
  }

  function next() {
    state = IN_HEAD
    request = undefined
    deadline = owner.tick() + owner.limits.idleTicks
    if (hasPeerEnded) return close()
    if (inbox.size() > 0 || isPaused) later()
  }

  /** Not at once: who has called is not done with the last request. */
  function later() {
    if (!isAdvancing) process.nextTick(advanceLater)
  }

  function finish(isWhole: boolean) {
    const done = exchange
    exchange = undefined
    if (done !== undefined) service.over(done, isWhole)
  }

  /** After the last answer. Unread bytes would make the system take it back. */
  function close() {
    const isClean = hasPeerEnded || (body.isDone() && inbox.size() === 0)
    inbox.clear()
    const ended = safely((error: Error | null) => {
      if (error || socket.destroyed) return
      finish(true)
      if (isClean) return void socket.destroy()
      linger()
      socket.resume()
    })
    socket.end((error?: Error | null) => ended(error ?? null))
  }

  function refuse({ status, message }: Fault): boolean {
    inbox.clear()
    linger()
    socket.end(renderRefusal(status, message), 'latin1')
    return false
  }

  /** What still comes is not looked at. */
  function linger() {
    state = CLOSING
    deadline = owner.tick() + owner.limits.lingerTicks
  }

  function peerEnded() {
    hasPeerEnded = true
    if (state === BUSY) {
      // Somebody who closes and somebody who only stops sending look the same.
      if (!isEnded) socket.destroy()
    } else if (state === IN_HEAD) {
      if (inbox.size() > 0) refuse(MALFORMED)
      else socket.end()
    } else socket.destroy()
  }

  function drained() {
    if (exchange !== undefined && !isEnded) service.drained(exchange)
  }

  function closed() {
    inbox.clear()
    owner.closed(connection)
    finish(state === DETACHED)
  }

  function isIdle(): boolean {
    return state === IN_HEAD && inbox.size() === 0
  }

  function check(tick: number) {
    if (deadline === 0 || tick < deadline) return
    if (state === IN_HEAD && inbox.size() > 0) refuse(TOO_SLOW)
    else socket.destroy()
  }

  function detach() {
    const ahead = inbox.bytes().subarray(inbox.start())
    inbox.clear()
    state = DETACHED
    socket.off('data', onData)
    socket.off('end', onEnd)
    socket.off('drain', onDrain)
    return { socket, ahead }
  }
}
