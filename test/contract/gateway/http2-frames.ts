import { once } from 'node:events'
import net from 'node:net'

/** Frames as they are on the wire (RFC 9113 §4.1): no client sends wrong ones by itself. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const DATA = 0
export const HEADERS = 1
const RESET = 3
const SETTINGS = 4
const GOAWAY = 7
export const END_STREAM = 1
export const END_HEADERS = 4
const BEGINNING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(SETTINGS, 0, 0),
])

/** Headers word for word, without table or Huffman code (RFC 7541 §6.2.2). */
export function literals(headers: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value, 'latin1')
    if (bytes.length > 126) throw new Error('longer than one byte tells')
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  }
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]),
  )
}

export type Fate = 'answered' | 'refused'

/** What becomes of the request on the first stream: an answer of 200, or anything else. */
export async function sendFrames(port: number, frames: readonly Buffer[]): Promise<Fate> {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(Buffer.concat([BEGINNING, ...frames]))
  let seen: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of socket) {
      seen = Buffer.concat([seen, chunk])
      for (;;) {
        const length = seen.length < 9 ? Number.POSITIVE_INFINITY : seen.readUIntBE(0, 3)
        if (seen.length < 9 + length) break
        const [type, payload] = [seen[3], seen.subarray(9, 9 + length)]
        seen = seen.subarray(9 + length)
        if (type === RESET || type === GOAWAY) return 'refused'
        if (type === HEADERS) return isOk(payload) ? 'answered' : 'refused'
      }
    }
  } catch {
    // Reset by the other side.
  } finally {
    socket.destroy()
  }
  return 'refused'
}

/** 200 is the eighth entry of the static table; a change of the table's size may come before it. */
function isOk(block: Buffer): boolean {
  let at = 0
  while (((block[at] ?? 0) & 0xe0) === 0x20) {
    if (((block[at++] ?? 0) & 0x1f) !== 0x1f) continue
    while (((block[at++] ?? 0) & 0x80) !== 0);
  }
  return block[at] === 0x88
}
