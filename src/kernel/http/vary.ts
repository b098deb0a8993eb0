import type { FastifyReply } from 'fastify'

/** Adds a header name to `Vary` and keeps what others put there. */
export function addVary(reply: FastifyReply, name: string): void {
  const current = reply.getHeader('vary')
  if (current === undefined) {
    reply.header('vary', name)
    return
  }
  const text = String(current)
  const names = text.split(',').map((part) => part.trim().toLowerCase())
  if (names.includes('*') || names.includes(name.toLowerCase())) return
  reply.header('vary', `${text}, ${name}`)
}
