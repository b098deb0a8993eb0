import type { FastifyReply } from 'fastify'

/** Adds names of headers to `Vary` and keeps what others put there. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const current = reply.getHeader('vary')
  if (current === undefined) {
    reply.header('vary', names.join(', '))
    return
  }
  const text = String(current)
  const known = text.split(',').map((part) => part.trim().toLowerCase())
  const added = names.filter((name) => !known.includes(name.toLowerCase()))
  if (added.length > 0 && !known.includes('*')) reply.header('vary', [text, ...added].join(', '))
}
