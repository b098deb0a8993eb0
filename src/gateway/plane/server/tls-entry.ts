import type { Server, Socket } from 'node:net'
import { renderRefusal } from './answer-head.ts'
import type { ClientConnection, ConnectionOwner } from './client.ts'
import { type ClientHello, MAX_HELLO_BYTES, readClientHello } from './client-hello.ts'

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
export function awaitHello(
  socket: Socket,
  choose: ChooseServer,
  owner: ConnectionOwner,
): ClientConnection {
  const deadline = owner.tick() + owner.limits.headTicks
  let bytes: Buffer = Buffer.alloc(0)
  const connection: ClientConnection = {
    isIdle: () => true,
    check: (tick) => void (tick < deadline || socket.destroy()),
    destroy: () => void socket.destroy(),
  }
  socket.on('data', read)
  socket.on('end', end)
  socket.on('error', ignore)
  socket.on('close', leave)
  return connection

  function read(chunk: Buffer) {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    try {
      look()
    } catch (error) {
      owner.report(error)
      socket.destroy()
    }
  }

  function look() {
    const hello = readClientHello(bytes)
    if (hello === undefined && bytes.length <= MAX_HELLO_BYTES) return
    if (!hello) return refuse(noHello(bytes))
    const server = choose(hello)
    if (server) handOver(server)
    else refuse(UNRECOGNISED_NAME)
  }

  /** What was read goes back, for the handshake needs it too. */
  function handOver(server: Server) {
    detach()
    socket.pause()
    socket.unshift(bytes)
    server.emit('connection', socket)
  }

  function refuse(answer: Buffer | string) {
    detach()
    socket.on('error', ignore)
    socket.end(answer, () => void socket.destroySoon())
    socket.resume()
  }

  function detach() {
    leave()
    socket.off('data', read)
    socket.off('end', end)
    socket.off('error', ignore)
    socket.off('close', leave)
  }

  function end() {
    socket.destroy()
  }

  function leave() {
    owner.closed(connection)
  }
}

function noHello(bytes: Buffer): Buffer | string {
  const isPlain = PLAIN_HTTP.test(bytes.toString('latin1', 0, 8))
  return isPlain ? renderRefusal(400, 'this port speaks TLS: use https') : DECODE_ERROR
}

function ignore() {}
