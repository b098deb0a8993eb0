/**
 * Whether a text was asked for lately, for caches: what is asked once is not worth keeping. Noted as hashes in so many
 * slots, a power of two, in which others write over it: the text then counts as new once more, and two texts of
 * one hash as the same.
 */
export function createAskedAgain(slots: number): (text: string) => boolean {
  const noted = new Int32Array(slots)
  return (text) => {
    const hash = hashOf(text)
    const slot = hash & (slots - 1)
    const isAgain = noted[slot] === hash
    noted[slot] = hash
    return isAgain
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash
}
