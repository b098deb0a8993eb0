// A server of the HTTP layer with routes of the test's own, listening on a free port.
import { once } from 'node:events'
import net from 'node:net'
import type { TestContext } from 'node:test'
import pino from 'pino'
import type { Mount } from '#http'
import { renderError } from '#http-text'
import { createClock, createIds, random } from '#kernel'
import { createHttpServer, type HttpServerDeps } from '../../../src/kernel/http/server.ts'

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [field: string]: unknown
}

export type HttpOptions = Partial<Omit<HttpServerDeps, 'mounts'>> & {
  /** Routes below `/api/v1`, in the house envelope. */
  readonly plugin?: Mount['plugin']
  readonly mounts?: readonly Mount[]
}

/** Starts it for one test; everything it logs is in `lines`. */
export async function startHttp(t: TestContext, { plugin, mounts = [], ...deps }: HttpOptions) {
  const lines: LogLine[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const app = await createHttpServer({
    log,
    ids: createIds({ clock: createClock(), random }),
    mounts: plugin ? [...mounts, { prefix: '/api/v1', renderError, plugin }] : mounts,
    ...deps,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const port = Number(new URL(url).port)
  return {
    app,
    url,
    port,
    lines,
    requests: () => lines.filter((line) => line.msg === 'request'),
    fetch: (path: string, init?: RequestInit) => fetch(url + path, init),
    post: (path: string, body: string, type = 'application/json') =>
      fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } }),
    raw: (text: string) => sendRaw(port, text),
  }
}

/** Writes these very bytes and returns all that comes back until the server closes. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return answer
}

export function bodyOf(raw: string): unknown {
  return JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))
}

export { checkIfMatch, strongEtag } from '../../../src/kernel/http/etag.ts'
export {
  createEventStreams,
  type EventStream,
  type EventStreamSettings,
} from '../../../src/kernel/http/event-stream.ts'
export { queryCredential, queryTextOf } from '../../../src/kernel/http/query.ts'
