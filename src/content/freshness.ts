import type { Bus, BusMessage, Tx } from '#kernel'

const TOUCHED = 'content.touched'

/**
 * Tells whether an answer made from certain types may have changed since. A change counts from its
 * commit in this process, and from its notice in others: where several processes write, whoever
 * keeps answers must also limit their age, because a notice can be lost (content model §10.9).
 */
export function createFreshness({ bus }: { bus: Pick<Bus, 'publish' | 'subscribe'> }) {
  const counts = new Map<number, number>()
  const end = bus.subscribe(TOUCHED, (message) => raise(parseNumbers(message)))
  return { touch, stamp, close: end }

  /** Call it in the transaction of every change, with the types whose answers it changes. */
  function touch(tx: Tx, typeNos: readonly number[]): void {
    if (typeNos.length === 0) return
    tx.afterCommit(() => {
      raise(typeNos)
      return bus.publish(TOUCHED, [...typeNos])
    })
  }

  /** Equal stamps of equal types: nothing has changed in between. */
  function stamp(typeNos: Iterable<number>): string {
    let text = ''
    for (const no of typeNos) text += `${counts.get(no) ?? 0}.`
    return text
  }

  function raise(typeNos: readonly number[]) {
    for (const no of typeNos) counts.set(no, (counts.get(no) ?? 0) + 1)
  }
}

export type Freshness = ReturnType<typeof createFreshness>

function parseNumbers(message: BusMessage): number[] {
  if (!Array.isArray(message)) return []
  return message.filter((each) => typeof each === 'number')
}
