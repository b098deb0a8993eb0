import type { FastifyReply } from 'fastify'

const STRICT = [
  "default-src 'none'",
  "img-src 'self' data:",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Sends a page that may load nothing but what `policy` adds, and only from this server. */
export function sendHtml(reply: FastifyReply, html: string, policy: readonly string[] = []) {
  const added = policy.map((directive) => directive.split(' ', 1)[0])
  const kept = STRICT.filter((directive) => !added.includes(directive.split(' ', 1)[0]))
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', [...kept, ...policy].join('; '))
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .send(html)
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
