import type { Socket } from 'node:net'
import type { ClientConnection, ConnectionOwner } from './client.ts'

/** What becomes of a connection after a look at its first bytes. */
type Decision =
  /** So many of them are used up; who gets the connection then reads the others. */
  | { readonly used: number; readonly go: () => void }
  /** Closed after this answer. */
  | { readonly refuse: Buffer | string }

/** Undefined: more bytes are needed. */
export type Look = (bytes: Buffer) => Decision | undefined

/** Looks at what a connection begins with before anybody else reads it. */
export function awaitFirstBytes(
  socket: Socket,
  owner: ConnectionOwner,
  look: Look,
): ClientConnection {
  const deadline = owner.tick() + owner.limits.headTicks
  let bytes: Buffer = Buffer.alloc(0)
  const connection: ClientConnection = {
    isIdle: () => true,
    retire() {},
    check: (tick) => void (tick < deadline || socket.destroy()),
    destroy: () => void socket.destroy(),
  }
  socket.on('data', read)
  socket.on('end', end)
  socket.on('error', ignore)
  socket.on('close', leave)
  socket.resume()
  return connection

  function read(chunk: Buffer) {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    try {
      const decision = look(bytes)
      if (decision) decide(decision)
    } catch (error) {
      owner.report(error)
      socket.destroy()
    }
  }

  function decide(decision: Decision) {
    detach()
    if ('refuse' in decision) return refuse(decision.refuse)
    socket.pause()
    const rest = bytes.subarray(decision.used)
    if (rest.length > 0) socket.unshift(rest)
    decision.go()
  }

  function refuse(answer: Buffer | string) {
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

function ignore() {}
