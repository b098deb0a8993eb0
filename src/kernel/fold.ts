/**
 * What makes two texts the same without regard to case (content model §10.3): computed by the
 * program and stored, so that both databases only compare bytes and always agree.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
