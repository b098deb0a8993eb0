import { randomUUID } from 'node:crypto'
import type { Bus, BusMessage } from '#bus'
import type { GatewayControl } from './control.ts'
import { PURGE_TOPIC, type Purge } from './protocol.ts'

interface Deps {
  readonly bus: Bus
  readonly control: Pick<GatewayControl, 'purge'>
}

/** What an operator, a thread or another node wants forgotten is brought to every thread. */
export function createPurges({ bus, control }: Deps) {
  const self = randomUUID()
  const end = bus.subscribe(PURGE_TOPIC, (message) => {
    const purge = parsePurge(message)
    if (purge && purge.from !== self) void control.purge(purge)
  })
  return { purge, close: end }

  /** Resolves when all threads of this node have done it; other nodes have been told. */
  async function purge(purge: Purge): Promise<number> {
    const count = await control.purge(purge)
    await bus.publish(PURGE_TOPIC, { ...purge, from: self })
    return count
  }
}

function parsePurge(message: BusMessage): Purge | undefined {
  if (typeof message !== 'object' || message === null || !isMembers(message)) return undefined
  const { by, text } = message
  const from = typeof message['from'] === 'string' ? { from: message['from'] } : {}
  if (by === 'all') return { by, ...from }
  const isKnown = by === 'tag' || by === 'prefix' || by === 'resource'
  return isKnown && typeof text === 'string' ? { by, text, ...from } : undefined
}

function isMembers(message: object): message is Readonly<Record<string, unknown>> {
  return !Array.isArray(message)
}
