import type { Bus, BusMessage } from '#kernel'
import type { GatewayControl } from './control.ts'
import { PURGE_TOPIC, type Purge } from './protocol.ts'

interface Deps {
  readonly bus: Bus
  readonly control: Pick<GatewayControl, 'purge'>
}

/** What an operator, a thread or another node wants forgotten is brought to every thread. */
export function createPurges({ bus, control }: Deps) {
  const end = bus.subscribe(PURGE_TOPIC, (message) => {
    const purge = parsePurge(message)
    if (purge) void control.purge(purge)
  })
  return { purge, close: end }

  /** Resolves when all threads of this node have done it; other nodes have been told. */
  async function purge(purge: Purge): Promise<number> {
    const count = await control.purge(purge)
    await bus.publish(PURGE_TOPIC, { ...purge })
    return count
  }
}

function parsePurge(message: BusMessage): Purge | undefined {
  if (typeof message !== 'object' || message === null || !isMembers(message)) return undefined
  const { by, text } = message
  if (by === 'all') return { by }
  const isKnown = by === 'tag' || by === 'prefix' || by === 'resource'
  return isKnown && typeof text === 'string' ? { by, text } : undefined
}

function isMembers(message: object): message is Readonly<Record<string, unknown>> {
  return !Array.isArray(message)
}
