import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/** An answer of a real Strapi: JSON as text, other bytes as base64. */
export interface RecordedAnswer {
  readonly status: number
  readonly type: string
  readonly text?: string
  readonly base64?: string
}

/** By path with query. */
type Recording = Readonly<Record<string, RecordedAnswer>>

/** Made by `node scripts/record-strapi.ts`. */
export const RECORDING = fileURLToPath(new URL('magazine.json.br', import.meta.url))
const TOKEN = 'recorded'

/** A Strapi to move from, and what it is asked for. */
export interface OldStrapi {
  readonly url: string
  readonly token: string
  /** The paths that were asked for, in their order. */
  readonly asked: string[]
  /** Called with each path before it is answered. */
  onAsked: (path: string) => void
  /** What is answered in place of an answer. */
  instead: (path: string, answer: RecordedAnswer) => RecordedAnswer
}

/** Answers as the recorded Strapi did, and 500 to what nobody asked then. */
export async function startRecorded(): Promise<OldStrapi> {
  const recording: Recording = JSON.parse(brotliDecompressSync(readFileSync(RECORDING)).toString())
  const started: { -readonly [K in keyof OldStrapi]: OldStrapi[K] } = {
    ...{ url: '', token: TOKEN, asked: [], onAsked: () => {}, instead: AS_IT_WAS },
  }
  const server = createServer(({ url: path = '', headers }, response) => {
    started.asked.push(path)
    started.onAsked(path)
    const isAllowed = headers.authorization === `Bearer ${TOKEN}` || path.startsWith('/uploads/')
    const known = isAllowed ? recording[path] : REFUSED
    const answer = known ?? { ...UNKNOWN, text: `never asked: ${path}` }
    send(response, started.instead(path, answer))
  })
  // Comparing takes longer than connections wait by default.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  started.url = `http://127.0.0.1:${port}`
  return started
}

export const AS_IT_WAS: OldStrapi['instead'] = (_path, answer) => answer

export function send(response: ServerResponse, { status, type, text, base64 }: RecordedAnswer) {
  response.writeHead(status, { 'content-type': type })
  response.end(base64 === undefined ? text : Buffer.from(base64, 'base64'))
}

const REFUSED: RecordedAnswer = {
  ...{ status: 401, type: 'application/json' },
  text: '{"data":null,"error":{"status":401,"name":"UnauthorizedError","message":"Missing or invalid credentials"}}',
}
const UNKNOWN = { status: 501, type: 'text/plain' }
