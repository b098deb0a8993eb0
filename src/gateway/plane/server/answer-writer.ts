import type { Socket } from 'node:net'
import { renderLastChunk } from '../http1/trailers.ts'
import { IN_CHUNKS, NO_BODY } from './answer-head.ts'
import { SMALL_BYTES } from './client.ts'

/** Puts the answers of one connection into as few pieces as they permit. */
export function createAnswerWriter(socket: Socket) {
  let head = ''
  let framing = NO_BODY
  return { begin, flush, write, end }

  /** The head waits for the first piece of the body. */
  function begin(text: string, framedAs: number): void {
    head = text
    framing = framedAs
  }

  function flush(): void {
    if (head !== '') socket.write(takeHead(), 'latin1')
  }

  function takeHead(): string {
    const taken = head
    head = ''
    return taken
  }

  function write(chunk: Buffer): boolean {
    if (framing === NO_BODY || chunk.length === 0 || socket.destroyed) return true
    return send(chunk, '')
  }

  function end(chunk: Buffer | null, trailers: readonly string[]): void {
    const last = framing === IN_CHUNKS ? renderLastChunk(trailers) : ''
    if (framing !== NO_BODY && chunk !== null && chunk.length > 0) {
      send(chunk, last)
      return
    }
    const rest = `${takeHead()}${last}`
    if (rest !== '') socket.write(rest, 'latin1')
  }

  /** What leaves in two pieces costs twice. Small ones leave as text, which costs least. */
  function send(chunk: Buffer, last: string): boolean {
    const isChunked = framing === IN_CHUNKS
    const before = isChunked ? `${takeHead()}${chunk.length.toString(16)}\r\n` : takeHead()
    const after = isChunked ? `\r\n${last}` : ''
    if (chunk.length <= SMALL_BYTES) {
      return socket.write(`${before}${chunk.toString('latin1')}${after}`, 'latin1')
    }
    socket.cork()
    if (before !== '') socket.write(before, 'latin1')
    socket.write(chunk)
    if (after !== '') socket.write(after, 'latin1')
    socket.uncork()
    return !socket.writableNeedDrain
  }
}
