import { nodeHttp } from '#http-text'
import type { Subresponse } from './tokens.ts'

/** By id, as the common front-end library reads it: each body is a text, each header a list. */
export function renderJson(answers: readonly Subresponse[]): string {
  const members = answers.map(({ id, status, headers, body }) => {
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]] as const)
    const own = { 'content-id': [`<${id}>`], status: [status] }
    return [id, { headers: { ...Object.fromEntries(lists), ...own }, body }] as const
  })
  return JSON.stringify(Object.fromEntries(members))
}

/** RFC 2387: one part for each answer. */
export function renderMultipart(answers: readonly Subresponse[], boundary: string): string {
  const parts = answers.map(({ id, status, headers, body }) => {
    const own = { ...headers, 'content-id': `<${id}>`, status: String(status) }
    const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}`)
    return `--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n${body}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

/** An answer of our own to a request that was not sent. */
export function notSent(id: string, status: number, message: string): Subresponse {
  const title = nodeHttp().STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ message: title, details: message })
  return { id, status, headers: { 'content-type': 'application/json' }, body }
}
