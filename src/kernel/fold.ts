/**
 * What makes two texts the same without regard to case (content model §10.3): computed by the
 * program and stored, so that both databases only compare bytes and always agree.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

/** By code points, as databases sort and whatever the locale: bytes of UTF-8 compare as these do. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
