import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from '../random.ts'

const derive = promisify(argon2)

interface Cost {
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** What OWASP recommends for servers: guessing is dear, a sign-in takes some tens of milliseconds. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Argon2id in the PHC text form, computed off the event loop. */
export function createPasswords({ random }: { random: Random }) {
  /** Nobody's password: no text has this tag. */
  const nobody = render(random.bytes(SALT_BYTES), random.bytes(TAG_BYTES))
  return { hash, verify }

  async function hash(password: string): Promise<string> {
    const salt = random.bytes(SALT_BYTES)
    return render(salt, await tagOf(password, salt, COST))
  }

  /** Takes as long when there is no password to compare with, so that nobody learns of it. */
  async function verify(password: string, stored: string | null): Promise<boolean> {
    const parsed = parse(stored ?? nobody)
    const tag = await tagOf(password, parsed.salt, parsed.cost)
    const isEqual = tag.length === parsed.tag.length && timingSafeEqual(tag, parsed.tag)
    return isEqual && stored !== null
  }
}

export type Passwords = ReturnType<typeof createPasswords>

function tagOf(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  // The same password typed on another keyboard may come in another Unicode form.
  const message = password.normalize('NFKC')
  return derive('argon2id', { message, nonce, tagLength: TAG_BYTES, ...cost })
}

function render(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = COST
  const cost = `m=${memory},t=${passes},p=${parallelism}`
  return `$argon2id$v=19$${cost}$${base64(salt)}$${base64(tag)}`
}

function parse(stored: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = FORM.exec(stored) ?? []
  if (tag === '') throw new Error('a stored password has an unknown form')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
