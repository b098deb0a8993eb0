/** RFC 9110 §15 and its registry; a status without a text has an empty one. */
const REASONS: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  208: 'Already Reported',
  226: 'IM Used',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  305: 'Use Proxy',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a Teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
}

export const NO_BODY = 0
const WITH_LENGTH = 1
export const IN_CHUNKS = 2
export const UNTIL_CLOSE = 3

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** How a client finds the end of an answer with these headers. */
export function framingOf(
  status: number,
  headers: readonly string[],
  { isHead, isOld }: { readonly isHead: boolean; readonly isOld: boolean },
): number {
  if (isHead || isBare(status)) return NO_BODY
  for (let at = 0; at < headers.length; at += 2) {
    if (isContentLength(headers[at] ?? '')) return WITH_LENGTH
  }
  return isOld ? UNTIL_CLOSE : IN_CHUNKS
}

/** A whole head; `end` are the lines that concern the connection. */
export function renderAnswerHead(
  status: number,
  headers: readonly string[],
  { date, end }: { readonly date: string; readonly end: string },
): string {
  let head = status === 200 ? 'HTTP/1.1 200 OK\r\n' : renderStatus(status)
  const hasNoLength = isBare(status)
  let isDated = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'date') isDated = true
    if (hasNoLength && isContentLength(name)) continue
    head += `${name}: ${headers[at + 1]}\r\n`
  }
  return isDated ? `${head}${end}` : `${head}Date: ${date}\r\n${end}`
}

/** RFC 9110 §8.6: 204 has no length; with 304 only the length of what is not sent would be true. */
function isBare(status: number): boolean {
  return status === 204 || status === 304
}

function isContentLength(name: string): boolean {
  return name.length === 14 && name.toLowerCase() === 'content-length'
}

export function renderStatus(status: number): string {
  return `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n`
}

/** RFC 8297. */
export function renderHints(headers: readonly string[]): string {
  let head = renderStatus(103)
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}\r\n`
}

/** For what never became a request: nothing that follows on such a connection can be trusted. */
export function renderRefusal(status: number, message: string): string {
  const body = JSON.stringify({ error_msg: message })
  const length = Buffer.byteLength(body)
  return `${renderStatus(status)}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`
}
