import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendHtml } from '#http'
import { parseMediaRanges } from '#http-text'

const ENDPOINTS = ['/graphql', '/graphql/offset', '/graphql/connection']

/** A browser that was pointed here. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return parseMediaRanges(headers.accept ?? '').some(({ type }) => type === 'text/html')
}

/** Names the endpoints, for whoever looks at them without a client. */
export function sendPage(reply: FastifyReply) {
  const rows = ENDPOINTS.map(
    (path) => `<li><code>${path}</code> (<a href="${path}/schema.graphql">schema</a>)</li>`,
  )
  return sendHtml(
    reply,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>GraphQL</title>
<h1>GraphQL</h1>
<p>Send documents by POST to one of these; each has its own schema.</p>
<ul>${rows.join('')}</ul></html>`,
  )
}
