/** How far a test has come, for whoever waits for minutes: at once, not with its result. */
export function tell(text: string): void {
  process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${text}\n`)
}
