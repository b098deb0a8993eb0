import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { OperatorError } from '../errors.ts'
import type { Random } from '../random.ts'

export interface SecretBoxDeps {
  readonly current: Buffer
  /** The key before the current one: still opens, no longer seals. */
  readonly previous?: Buffer
  readonly random: Random
}

export type SecretBox = ReturnType<typeof createSecretBox>

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Secrets at rest: AES-256-GCM. A sealed text is `v1.<key id>.<nonce, ciphertext, tag>`; the id
 * tells which key opens it and nothing about the key. Nonces are random, which is safe for 2^32
 * texts under one key.
 */
export function createSecretBox({ current, previous, random }: SecretBoxDeps) {
  const keys = new Map<string, Buffer>()
  if (previous) keys.set(idOf(previous), previous)
  const keyId = idOf(current)
  keys.set(keyId, current)
  return { keyId, seal, open, needsReseal, derive }

  /** `context` says what the secret is for; it opens only where the same context is given. */
  function seal(text: string, context = ''): string {
    const nonce = random.bytes(NONCE_BYTES)
    const head = `v1.${keyId}`
    const cipher = createCipheriv('aes-256-gcm', current, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(boundTo(head, context))
    const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return `${head}.${Buffer.concat([nonce, hidden, cipher.getAuthTag()]).toString('base64url')}`
  }

  function open(sealed: string, context = ''): string {
    const { id, bytes } = parse(sealed)
    const key = keys.get(id)
    if (!key) {
      throw new OperatorError(
        `A stored secret was sealed with another master key (id ${id}, current ${keyId}); ` +
          'give that key as the previous master key',
      )
    }
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(`v1.${id}`, context))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (error) {
      throw new OperatorError('A stored secret was changed or belongs to another record', error)
    }
  }

  /** A key for one purpose: the same on every node, and of no use to find the master key. */
  function derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', current, '', `entrepot ${purpose}`, KEY_BYTES))
  }

  /** True for texts of the previous key, which has to stay until none is left. */
  function needsReseal(sealed: string): boolean {
    return parse(sealed).id !== keyId
  }
}

function parse(sealed: string): { id: string; bytes: Buffer } {
  const [, id, data] = /^v1\.([\w-]{8})\.([\w-]+)$/.exec(sealed) ?? []
  const bytes = Buffer.from(data ?? '', 'base64url')
  if (id === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) {
    throw new OperatorError('A stored secret is not a sealed text')
  }
  return { id, bytes }
}

function boundTo(head: string, context: string): Buffer {
  return Buffer.from(`${head}\0${context}`)
}

function idOf(key: Buffer): string {
  if (key.length !== KEY_BYTES) throw new OperatorError(`A master key has ${KEY_BYTES} bytes`)
  return createHmac('sha256', key).update('entrepot key id').digest().toString('base64url', 0, 6)
}
