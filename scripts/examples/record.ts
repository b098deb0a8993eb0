// Loaded before tests by `npm run docs:examples`: writes down what they send and get, so that it can become an
// example of the reference. Requests that fail, and answers that are no JSON or long, are of no use there.
import { appendFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Exchange } from './exchange.ts'
import { shapeOf, tidy } from './tidy.ts'

const directory = process.env['RECORDED_EXCHANGES']
const DOCUMENT = /openapi(\/.*)?\.json$/
/** The one that knows the type from which examples of other types are made. */
const AREA = basename(dirname(process.argv[1] ?? ''))
const MOST_CHARACTERS = 6_000
/** Of one shape: others may show more. */
const MOST_ALIKE = 2

if (directory !== undefined && process.argv[1]?.endsWith('.test.ts')) {
  recordInto(directory)
  // Programs that a test starts may be of a Node that cannot load this.
  delete process.env['NODE_OPTIONS']
}

function recordInto(directory: string): void {
  const send = globalThis.fetch
  const seen = new Map<string, number>()
  globalThis.fetch = async (input, init) => {
    const response = await send(input, init)
    if (isUseful(response)) {
      const answer = response.clone()
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      if (DOCUMENT.test(pathname)) await keepDocument(pathname, answer)
      else await note(init?.method ?? 'GET', pathname, init?.body, answer)
    }
    return response
  }

  async function keepDocument(path: string, answer: Response) {
    if (AREA !== 'operation') return
    const name = path.replaceAll('/', '-').slice(1)
    writeFileSync(join(directory, `document-${name}`), await answer.text())
  }

  async function note(method: string, path: string, body: unknown, answer: Response) {
    const request = typeof body === 'string' ? { request: parseSent(body) } : {}
    const text = await answer.text()
    const response = text === '' ? {} : { response: parse(text) }
    const exchange: Exchange = { method, path, status: answer.status, ...request, ...response }
    const kind = `${method} ${path.replaceAll(/[\da-f-]{8,}|\d+/g, '#')} ${shapeOf({ ...request, ...response })}`
    const count = seen.get(kind) ?? 0
    if (count >= MOST_ALIKE) return
    const line = JSON.stringify(tidy(exchange))
    if (line.length > MOST_CHARACTERS) return
    seen.set(kind, count + 1)
    appendFileSync(join(directory, `${AREA}-${process.pid}.ndjson`), `${line}\n`)
  }
}

function isUseful({ status, headers }: Response): boolean {
  if (status === 204 || (status === 200 && headers.get('content-length') === '0')) return true
  return status < 300 && /\bjson\b/.test(headers.get('content-type') ?? '')
}

function parseSent(text: string): unknown {
  const isForm = /^[\w.]+=[^{]*$/.test(text)
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : parse(text)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
