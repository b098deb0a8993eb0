import { createHash } from 'node:crypto'

const LONGEST = 200

/**
 * The name under which a store keeps a counter. Names may hold what a client sent, of any length
 * and with any character; an index takes at most some 2,700 bytes and PostgreSQL no zero byte.
 */
export function storedName(name: string): string {
  if (name.length <= LONGEST && !name.includes('\0')) return name
  return `sha256:${createHash('sha256').update(name).digest('hex')}`
}
