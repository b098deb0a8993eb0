import type { Socket } from 'node:net'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import { nodeHttp } from './node-http.ts'

interface Refused {
  readonly status: number
  readonly code: string
  readonly message: string
}

const MALFORMED: Refused = {
  status: 400,
  code: 'malformed_request',
  message: 'This is not a correct HTTP request',
}

const BY_CODE: Record<string, Refused> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'The URL and headers are too large',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'payload_too_large',
    message: 'The chunk extensions are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time',
  },
}

/**
 * Answers what never became a request. Its URL may be unknown or lying, so it cannot be said whose
 * shape the error should have: it has the house form.
 */
export function createClientErrorHandler({
  log,
  ids,
}: {
  log: Pick<Log, 'info'>
  ids: Pick<Ids, 'uuid'>
}) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const refused = BY_CODE[error.code ?? ''] ?? MALFORMED
    const id = ids.uuid()
    log.info(
      {
        request_id: id,
        status: refused.status,
        remote_addr: socket.remoteAddress,
        error: refused.code,
        reason: error.code,
      },
      'request refused by the parser',
    )
    if (socket.writable) socket.write(render(refused, id))
    socket.destroySoon()
  }
}

function render({ status, code, message }: Refused, id: string): string {
  const body = JSON.stringify({ error: { code, message } })
  return [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
