/** Kilobytes with two decimals, as every dialect but content delivery shows sizes. */
export function toKilobytes(sizeBytes: number): number {
  return Math.round(sizeBytes / 10) / 100
}
