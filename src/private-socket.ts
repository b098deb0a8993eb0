/** The API on a socket of this machine, which only the gateway of the same process uses. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpApp } from '#http'
import { nodeHttp } from '#http-text'

/** The system takes no longer path for a socket (108 bytes on Linux, 104 elsewhere). */
const LONGEST_PATH = 100
const MAX_HEADER_BYTES = 80 * 1024
/** Longer than the gateway keeps an idle connection, so that it never uses a closing one. */
const KEEP_ALIVE_MS = 75_000

/** Where this process will listen; several may share a data directory. */
export async function privateSocketPath(dataDir: string, nodeId: string): Promise<string> {
  const own = join(dataDir, 'run')
  const isShort = Buffer.byteLength(own) + nodeId.length < LONGEST_PATH
  const directory = isShort ? own : join(tmpdir(), `entrepot-${nodeId.slice(0, 8)}`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  await removeDead(directory)
  return join(directory, `${nodeId.slice(0, 13)}.sock`)
}

/** Sockets of processes that were killed stay behind; nobody answers on them. */
async function removeDead(directory: string): Promise<void> {
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.sock'))) {
    const path = join(directory, file)
    if (!(await isAnswered(path))) rmSync(path, { force: true })
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Serves what `http` serves; returns what ends it, after those who use it have ended. */
export async function listenPrivately(http: HttpApp, path: string): Promise<() => Promise<void>> {
  await http.ready()
  const options = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }
  const server = nodeHttp().createServer(options, (request, response) =>
    http.routing(request, response),
  )
  // Bodies may take as long as the gateway lets them take.
  server.requestTimeout = 0
  server.listen(path)
  await once(server, 'listening')
  return async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}
