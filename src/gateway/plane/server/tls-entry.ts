import type { Server, Socket } from 'node:net'
import { renderRefusal } from './answer-head.ts'
import { type ClientHello, MAX_HELLO_BYTES, readClientHello } from './client-hello.ts'
import type { Look } from './first-bytes.ts'

/** The TLS server that is set up for what a client asks for; undefined: there is none. */
export type ChooseServer = (hello: ClientHello) => Server | undefined

/** RFC 8446 §6: a record of type 21 with a fatal alert. */
const UNRECOGNISED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112])
const DECODE_ERROR = Buffer.from([21, 3, 3, 0, 2, 2, 50])
const PLAIN_HTTP = /^[A-Z]{3,}/

/**
 * Reads what a client says before its handshake and hands the connection to the server for that
 * name: Node knows protocol versions and client certificates by server, not by name.
 */
export function lookAtHello(socket: Socket, choose: ChooseServer): Look {
  return (bytes) => {
    const hello = readClientHello(bytes)
    if (hello === undefined && bytes.length <= MAX_HELLO_BYTES) return undefined
    if (!hello) return { refuse: noHello(bytes) }
    const server = choose(hello)
    if (!server) return { refuse: UNRECOGNISED_NAME }
    // All of it goes back, for the handshake needs it too.
    return { used: 0, go: () => void server.emit('connection', socket) }
  }
}

function noHello(bytes: Buffer): Buffer | string {
  const isPlain = PLAIN_HTTP.test(bytes.toString('latin1', 0, 8))
  return isPlain ? renderRefusal(400, 'this port speaks TLS: use https') : DECODE_ERROR
}
