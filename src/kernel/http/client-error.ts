import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { DomainError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import { JSON_TYPE, type RenderError } from './envelope.ts'
import { headersTooLarge } from './head.ts'
import { nodeHttp } from './node-http.ts'

interface ParserError extends Error {
  readonly code?: string
  /** The piece of the connection in which the error lies; bytes, whatever the framework's types say. */
  readonly rawPacket?: unknown
  /** How far the parser came in it. */
  readonly bytesParsed?: number
}

interface Line {
  readonly method: string
  readonly url: string
}

interface Deps {
  readonly log: Pick<Log, 'info'>
  readonly ids: Pick<Ids, 'uuid'>
  /** The shape of errors at this URL. */
  shapeAt(url: string): RenderError
}

const REFUSALS: ReadonlyMap<string, () => DomainError> = new Map([
  ['HPE_HEADER_OVERFLOW', headersTooLarge],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    () => new DomainError('too_large', 'payload_too_large', 'The chunk extensions are too large'),
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    () => new DomainError('timeout', 'request_timeout', 'The request did not arrive in time'),
  ],
])

/** What is not known of a request that was not read: its shape is the house form then. */
const UNKNOWN: Line = { method: '', url: '/' }

/**
 * Answers what the HTTP parser refused: a request that never became one, or whose body is not correct.
 * Its URL, as far as it was read, says whose shape the error has; a URL that lies changes nothing else.
 */
export function createParserErrors({ log, ids, shapeAt }: Deps) {
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  return { watch, onClientError }

  /** Called for every request, so that an error in its body is known to be its own. */
  function watch(request: IncomingMessage, response: ServerResponse): void {
    latest.set(request.socket, { request, response })
  }

  function onClientError(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const { request, response } = latest.get(socket) ?? {}
    const refuse = (line: Line) => answer(error, socket, line)
    if (!request || !response) refuse(lineIn(error))
    else if (!request.complete) {
      // A second answer to the same request would be taken for the answer to the next one.
      if (response.headersSent) socket.destroy()
      else refuse({ method: request.method ?? '', url: request.url ?? '/' })
    } else if (response.writableFinished || response.destroyed) refuse(lineIn(error))
    else response.once('finish', () => refuse(lineIn(error)))
  }

  function answer(error: ParserError, socket: Socket, { method, url }: Line): void {
    const refusal = REFUSALS.get(error.code ?? '')?.() ?? malformed()
    const id = ids.uuid()
    const rendered = shapeAt(url)(refusal, { requestId: id })
    log.info(
      {
        request_id: id,
        status: rendered.status,
        remote_addr: socket.remoteAddress,
        error: refusal.code,
        reason: error.code,
      },
      'request refused by the parser',
    )
    if (socket.writable) socket.write(render(rendered, id, method === 'HEAD'))
    socket.destroySoon()
  }
}

function malformed(): DomainError {
  return new DomainError('invalid', 'malformed_request', 'This is not a correct HTTP request')
}

/** The last request line before the error; one connection may have sent several at once. */
function lineIn({ rawPacket, bytesParsed = 0 }: ParserError): Line {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  const before = [...text.matchAll(/^(\S+) (\/\S*) HTTP\/\d/gm)]
    .filter(({ index }) => index <= bytesParsed)
    .at(-1)
  const [, method, url] = before ?? /^(\S+) (\/\S*)/.exec(text) ?? []
  return method === undefined || url === undefined ? UNKNOWN : { method, url }
}

function render(
  { status, headers = {}, body }: ReturnType<RenderError>,
  id: string,
  isHead: boolean,
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = {
    'content-type': JSON_TYPE,
    ...headers,
    'content-length': Buffer.byteLength(text),
    'X-Request-Id': id,
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${nodeHttp().STATUS_CODES[status]}`, ...lines]
  return `${head.join('\r\n')}\r\n\r\n${isHead ? '' : text}`
}
