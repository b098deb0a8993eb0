/**
 * A cache whose size is bounded by the length of its keys, because values are some multiple of it: texts
 * of strangers. What was not used while as many others came is forgotten.
 */
export function createKept<Value>(mostCharacters: number) {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let length = 0
  return { find, keep }

  function find(key: string): Value | undefined {
    const known = young.get(key)
    if (known !== undefined) return known
    const before = old.get(key)
    return before === undefined ? undefined : keep(key, before)
  }

  function keep(key: string, value: Value): Value {
    if (length + key.length > mostCharacters / 2) {
      old = young
      young = new Map()
      length = 0
    }
    length += key.length
    young.set(key, value)
    return value
  }
}

const SLOTS = 4_096

/**
 * Whether a text was asked for lately: what is asked once is not worth keeping, and to keep it costs more
 * than to make it. Two texts of one hash are taken for the same, which keeps one too many.
 */
export function createAsked(): (text: string) => boolean {
  const hashes = new Uint32Array(SLOTS)
  return (text) => {
    const hash = hashOf(text)
    const slot = hash % SLOTS
    const isAgain = hashes[slot] === hash
    hashes[slot] = hash
    return isAgain
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
