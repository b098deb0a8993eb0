/**
 * A target that can stand in a request line or a Location: whatever came in through a variable, no
 * space, line break, control character or character beyond ASCII is left as it is.
 */
export function encodeTarget(text: string): string {
  return text.replace(/[\0-\x20\x7f-\u{10ffff}]/gu, (character) =>
    Buffer.from(character).reduce(
      (out, byte) => `${out}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      '',
    ),
  )
}
