import type { FastifyReply } from 'fastify'

/** Adds names of headers, with commas between them, to `Vary` and keeps what others put there. */
export function addVary(reply: FastifyReply, names: string): void {
  const current = reply.getHeader('vary')
  if (current === undefined) {
    reply.header('vary', names)
    return
  }
  const known = namesIn(String(current)).map((name) => name.toLowerCase())
  const added = namesIn(names).filter((name) => !known.includes(name.toLowerCase()))
  if (added.length === 0 || known.includes('*')) return
  reply.header('vary', [current, ...added].join(', '))
}

function namesIn(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}
