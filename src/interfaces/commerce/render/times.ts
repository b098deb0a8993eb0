/** `YYYY-MM-DD HH:MM:SS` in UTC (contract §2). */
export function renderWireTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
