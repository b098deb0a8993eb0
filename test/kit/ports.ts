import { once } from 'node:events'
import net from 'node:net'

/** Below 32768, where Linux begins to give ports to outgoing connections, which would take ours. */
const LOWEST = 10_000
const BLOCK = 100
const BLOCKS = 225

let block: Promise<number> | undefined
let next = 0

/**
 * A port that nobody listens on and that no other test process is given, also of another run: a
 * server may bind it seconds later, so that it is free now would not be enough.
 */
export async function freePort(): Promise<number> {
  block ??= takeBlock()
  const first = await block
  for (let tried = 1; tried < BLOCK; tried++) {
    const port = first + 1 + (next++ % (BLOCK - 1))
    const server = await listen(port)
    if (!server) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no port is free between ${first} and ${first + BLOCK}`)
}

/** Whoever listens on the first port of a block has all of it, until its process ends. */
async function takeBlock(): Promise<number> {
  const start = process.pid % BLOCKS
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = LOWEST + ((start + tried) % BLOCKS) * BLOCK
    const server = await listen(first)
    if (!server) continue
    server.unref()
    return first
  }
  throw new Error('all blocks of ports are taken')
}

function listen(port: number): Promise<net.Server | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })
}
