import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Listen } from './client/connection.ts'
import type { Context } from './context.ts'
import { renderStatus } from './server/answer-head.ts'

interface Switched {
  readonly socket: Socket
  readonly listen: Listen
}

/**
 * WebSockets know no half-open connection: a side that has ended reads at most what is on its way, and
 * an upstream that never hangs up would otherwise keep the connection of everybody who left.
 */
const LINGER_MS = 2_000

/** After 101 the bytes pass untouched; `idleMs` without any closes both sides (contract §5.3). */
export function joinSockets(ctx: Context, switched: Switched, idleMs: number): void {
  const { socket: upstream, listen } = switched
  if (ctx.meter && !ctx.meter.record(ctx.status)) {
    upstream.destroy()
    return void ctx.client.destroy()
  }
  ctx.isAnswered = true
  ctx.answeredAt = performance.now()
  const { socket: client, ahead } = ctx.client.detach()
  if (client.destroyed) return void upstream.destroy()
  client.write(renderSwitch(ctx), 'latin1')
  if (ahead.length > 0) upstream.write(ahead)
  const sides = [client, upstream]
  for (const [index, side] of sides.entries()) {
    side.removeAllListeners('timeout')
    side.setTimeout(idleMs, () => side.destroy())
    side.on('error', () => {})
    side.on('end', () => void setTimeout(() => side.destroy(), LINGER_MS).unref())
    side.on('close', () => leave(sides[1 - index]))
  }
  client.on('data', (chunk: Buffer) => {
    ctx.bytesIn += chunk.length
  })
  client.pipe(upstream)
  client.on('drain', () => void upstream.resume())
  upstream.on('end', () => void client.end())
  listen((chunk) => {
    ctx.bytesOut += chunk.length
    client.setTimeout(idleMs)
    if (!client.write(Buffer.from(chunk))) upstream.pause()
  })
}

/** The other side is gone. What was said before it went, a slow reader may still get, as long as it reads. */
function leave(side: Socket | undefined): void {
  if (!side?.writableLength) return void side?.destroy()
  side.end()
  side.setTimeout(LINGER_MS)
}

function renderSwitch({ headers }: Context): string {
  let head = `${renderStatus(101)}Connection: Upgrade\r\nUpgrade: websocket\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}\r\n`
}
