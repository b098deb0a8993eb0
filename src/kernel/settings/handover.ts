import { type Bus, type BusMessage, PROCESS_TOPIC } from '../bus/port.ts'

const VALUES = `${PROCESS_TOPIC}settings`
const ASKED = `${PROCESS_TOPIC}settings.asked`

/** A character takes at most three bytes in a notice, and its envelope some more. */
const PART_CHARACTERS = 2_000

/** The main thread's end: hands values to the threads that have no database. */
export function createHandover(bus: Bus, all: () => object) {
  const end = bus.subscribe(ASKED, () => {
    for (const [area, values] of Object.entries(all())) hand(area, values)
  })
  return { hand, end }

  /** Areas may be larger than a notice, so they travel in parts; notices keep their order. */
  function hand(area: string, values: unknown) {
    const text = JSON.stringify(values)
    for (let at = 0; at < text.length; at += PART_CHARACTERS) {
      const last = at + PART_CHARACTERS >= text.length
      const part = text.slice(at, at + PART_CHARACTERS)
      void bus.publish(VALUES, { area, first: at === 0, last, part })
    }
  }
}

/** The other end; asks for everything at once, because the main thread may have gone on meanwhile. */
export function receiveHandover(
  bus: Bus,
  receive: (area: string, values: unknown) => void,
): () => void {
  let text = ''
  const end = bus.subscribe(VALUES, (message) => {
    const handed = parsePart(message)
    if (!handed) return
    text = handed.first ? handed.part : text + handed.part
    if (handed.last) receive(handed.area, JSON.parse(text))
  })
  void bus.publish(ASKED, null)
  return end
}

function parsePart(message: BusMessage) {
  if (typeof message !== 'object' || message === null || !('part' in message)) return undefined
  const { area, first, last, part } = message
  if (typeof area !== 'string' || typeof part !== 'string') return undefined
  return { area, first: first === true, last: last === true, part }
}
