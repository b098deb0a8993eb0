import { createLru, unavailable } from '#kernel'
import type { Asked } from '../../request.ts'

/** Requests that others may still name: whoever sends many has a few under way. */
const KNOWN = 1_000

/**
 * `Idempotency-After`: a request is carried out behind another one of the same caller, which need not be answered yet.
 * So whoever has many to send need not wait for an answer before the next one, and of equal values the first is kept.
 */
export function createOrder() {
  /** Whether each was carried out. */
  const known = createLru<string, Promise<boolean>>(KNOWN)
  return { inOrder }

  /** `work` awaits `before` when it has done what needs no order; that refuses when nothing may be written. */
  function inOrder<T>(asked: Asked, work: (before: Promise<void>) => Promise<T>): Promise<T> {
    const { headers } = asked.request
    const named = headers['idempotency-after']
    const before = named === undefined ? Promise.resolve() : ended(nameOf(asked, named))
    // Told when it is waited for.
    before.catch(() => {})
    const done = work(before)
    const key = headers['idempotency-key']
    const isDone = done.then(
      () => true,
      () => false,
    )
    if (key !== undefined) known.keep(nameOf(asked, key), isDone)
    return done
  }

  async function ended(name: string): Promise<void> {
    if (await known.find(name)) return
    const message = 'The request before is not under way here: send this one when it is answered'
    throw unavailable('request_before_unknown', message)
  }
}

function nameOf({ actor, resource }: Asked, key: string | readonly string[]): string {
  return `${actor.userId} ${resource.type.no} ${key}`
}
