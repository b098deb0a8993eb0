import type { Socket } from 'node:net'
import { OutboundFailure } from './failure.ts'

/** `101` ends the talk in HTTP: nobody asked for it either, but it is no interim answer. */
const INTERIM = /^HTTP\/1\.[01] 1(0[02-9]|[1-9]\d)[ \r]/
/** There is no such status; undici would take it for a fault of its own. */
const NO_STATUS = /^HTTP\/1\.[01] 0\d\d/
/** As many bytes as tell what an answer begins with. */
const START_BYTES = 13
/** Fewer bytes of which it cannot be told yet. */
const MAYBE = /^H(T(T(P(\/(1(\.([01]( ([01](\d\d?)?)?)?)?)?)?)?)?)?)?$/
const HEAD_END = '\r\n\r\n'

/**
 * Takes interim answers out of what the socket reads. A server may send `100 Continue` unasked before
 * its final answer (RFC 9110 §15.2), and undici, which never asks for it, would close the connection.
 */
export function skipInterim(socket: Socket): Socket {
  const { read, write } = socket
  /** Something was written, and the final answer to it has not begun. */
  let isAwaited = false
  let held: Buffer | undefined
  socket.write = (...given: unknown[]) => {
    isAwaited = true
    return Reflect.apply(write, socket, given)
  }
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read.call(socket, size)
    if (chunk === null || !isAwaited) return chunk
    return withoutInterim(held ? Buffer.concat([held, chunk]) : chunk)
  }
  return socket

  function withoutInterim(given: Buffer): Buffer | null {
    let rest = given
    held = undefined
    while (INTERIM.test(startOf(rest))) {
      const end = rest.indexOf(HEAD_END)
      if (end < 0) return hold(rest)
      rest = rest.subarray(end + HEAD_END.length)
    }
    if (rest.length === 0) return null
    if (NO_STATUS.test(startOf(rest))) {
      socket.destroy(new OutboundFailure('invalid_response'))
      return null
    }
    if (MAYBE.test(startOf(rest))) return hold(rest)
    isAwaited = false
    return rest
  }

  function hold(rest: Buffer): null {
    held = rest
    return null
  }
}

function startOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, START_BYTES)
}
