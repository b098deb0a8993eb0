/** What a client says before its handshake: RFC 8446 §4.1.2, RFC 6066 §3, RFC 7301 §3.1. */
export interface ClientHello {
  /** Lower case and without a final dot; empty when the client names nobody. */
  readonly name: string
  /** Such as `TLSv1.3`, the ones this gateway knows. */
  readonly versions: readonly string[]
  readonly protocols: readonly string[]
}

/** Undefined: more bytes are needed. Null: this is no ClientHello, and never will be. */
export type ReadHello = ClientHello | null | undefined

/** Larger than any that has been seen, keys against quantum computers included. */
export const MAX_HELLO_BYTES = 64 * 1024

const MAX_RECORD_BYTES = 16 * 1024
const HANDSHAKE = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const PROTOCOLS = 16
const SUPPORTED_VERSIONS = 43
const HOST_NAME = 0
const VERSIONS = new Map([
  [0x0301, 'TLSv1'],
  [0x0302, 'TLSv1.1'],
  [0x0303, 'TLSv1.2'],
  [0x0304, 'TLSv1.3'],
])

export function readClientHello(bytes: Buffer): ReadHello {
  const message = joinRecords(bytes)
  if (!message) return message
  try {
    return parseHello(message)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The message may come in several records. */
function joinRecords(bytes: Buffer): Buffer | null | undefined {
  const parts: Buffer[] = []
  let at = 0
  let size = 0
  let wanted = 4
  while (size < wanted) {
    // The first byte decides before the rest has come.
    if (at < bytes.length && bytes[at] !== HANDSHAKE) return null
    if (bytes.length < at + 5) return undefined
    const length = bytes.readUInt16BE(at + 3)
    if (bytes[at + 1] !== 3 || length === 0 || length > MAX_RECORD_BYTES) return null
    const part = bytes.subarray(at + 5, at + 5 + length)
    if (size === 0 && part.length > 0 && part[0] !== CLIENT_HELLO) return null
    parts.push(part)
    size += part.length
    at += 5 + length
    if (wanted === 4 && size >= 4) {
      wanted = 4 + Buffer.concat(parts).readUIntBE(1, 3)
      if (wanted > MAX_HELLO_BYTES) return null
    }
    if (part.length < length && size < wanted) return undefined
  }
  return Buffer.concat(parts).subarray(4, wanted)
}

/** A length that leads out of the message throws a RangeError. */
function parseHello(message: Buffer): ClientHello {
  let name = ''
  let protocols: string[] = []
  let versions = toVersions([message.readUInt16BE(0)])
  const cursor = createCursor(message)
  cursor.skip(34)
  cursor.block(1)
  cursor.block(2)
  cursor.block(1)
  // Extensions may be missing altogether.
  const extensions = createCursor(cursor.isAtEnd() ? Buffer.alloc(0) : cursor.block(2))
  while (!extensions.isAtEnd()) {
    const type = extensions.number(2)
    const content = createCursor(extensions.block(2))
    if (type === SERVER_NAME) name = readName(createCursor(content.block(2)))
    else if (type === PROTOCOLS) protocols = readTexts(createCursor(content.block(2)))
    else if (type === SUPPORTED_VERSIONS) versions = readVersions(createCursor(content.block(1)))
  }
  return { name, versions, protocols }
}

function readName(names: Cursor): string {
  while (!names.isAtEnd()) {
    const type = names.number(1)
    const text = names.block(2).toString('latin1').toLowerCase()
    if (type === HOST_NAME) return text.endsWith('.') ? text.slice(0, -1) : text
  }
  return ''
}

function readTexts(list: Cursor): string[] {
  const texts: string[] = []
  while (!list.isAtEnd()) texts.push(list.block(1).toString('latin1'))
  return texts
}

function readVersions(list: Cursor): string[] {
  const numbers: number[] = []
  while (!list.isAtEnd()) numbers.push(list.number(2))
  return toVersions(numbers)
}

function toVersions(numbers: readonly number[]): string[] {
  return numbers.flatMap((number) => VERSIONS.get(number) ?? [])
}

type Cursor = ReturnType<typeof createCursor>

function createCursor(bytes: Buffer) {
  let at = 0
  return { number, block, skip, isAtEnd: () => at === bytes.length }

  function number(size: number): number {
    const read = bytes.readUIntBE(at, size)
    at += size
    return read
  }

  /** Bytes behind their length, which takes `size` bytes itself. */
  function block(size: number): Buffer {
    const length = number(size)
    skip(length)
    return bytes.subarray(at - length, at)
  }

  function skip(length: number): void {
    if (at + length > bytes.length) throw new RangeError('a length leads out of the message')
    at += length
  }
}
