import { once } from 'node:events'
import net from 'node:net'
import { after } from 'node:test'

/** A TCP way to a server that can be cut and mended. */
export async function startCutProxy(target: { host: string; port: number }) {
  const sockets = new Set<net.Socket>()
  let isCut = false
  const server = net.createServer((inner) => {
    if (isCut) return void inner.destroy()
    const outer = net.connect(target)
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    cut()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return { port: address.port, cut, mend }

  function cut() {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }

  function mend() {
    isCut = false
  }
}
