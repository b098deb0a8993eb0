import type { Duplex } from 'node:stream'
import { nodeHttp } from '#kernel-thread'

const BY_CODE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request head is too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
}

/**
 * Answers what never became a request, smuggling shapes included, and closes: nothing that follows
 * on such a connection can be trusted.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message] = BY_CODE[error.code ?? ''] ?? [400, 'this is not a correct HTTP request']
  if (socket.writable) socket.write(renderRefusal(status, message))
  socket.end(() => socket.destroy())
}

export function renderRefusal(status: number, message: string): string {
  const body = JSON.stringify({ error_msg: message })
  return [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
