import { createLru, type Random } from '#kernel'
import { isLost as isLostText, type SecretBox } from '#secrets'
import type { Secrets } from './records.ts'

/** Doc 1 §2.5. 32 of these characters are always valid base64. */
const SECRET_LENGTH = 32

export interface SealedSecrets {
  readonly id: string
  readonly secret: string
  readonly secretOld: string | null
  readonly secretOldUntilMs: number | null
}

const MAX_OPENED = 10_000

/** Secrets of subscriptions, sealed at rest and bound to the subscription they belong to. */
export function createSecrets({ box, random }: { box: SecretBox; random: Random }) {
  /** By what is stored: opening costs as much as signing. */
  const opened = createLru<string, string>(MAX_OPENED)
  return { create, seal, open, isLost, reseal, needsReseal: box.needsReseal }

  function create(): string {
    return random.text(SECRET_LENGTH)
  }

  function seal(id: string, secret: string): string {
    return box.seal(secret, contextOf(id))
  }

  /** The old secret is never used past its time, also while it is not erased yet. */
  function open(sealed: SealedSecrets, nowMs: number): Secrets {
    const { id, secret, secretOld, secretOldUntilMs } = sealed
    const isOldValid = secretOld !== null && nowMs < (secretOldUntilMs ?? 0)
    return {
      current: openOne(id, secret),
      previous: isOldValid ? openOne(id, secretOld) : null,
    }
  }

  function openOne(id: string, sealed: string): string {
    return opened.find(sealed) ?? opened.keep(sealed, box.open(sealed, contextOf(id)))
  }

  /** No master key that we have opens it. */
  function isLost(id: string, sealed: string): boolean {
    return isLostText(box, sealed, contextOf(id))
  }

  /** The same secret under the current master key. */
  function reseal(id: string, sealed: string): string {
    return seal(id, box.open(sealed, contextOf(id)))
  }
}

export type SecretKeeper = ReturnType<typeof createSecrets>

function contextOf(id: string): string {
  return `webhooks ${id}`
}
