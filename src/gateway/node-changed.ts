/** The sentence of the log when the health of a node has changed; the terminal shows nothing else. */
export function nodeChanged(change: {
  readonly upstream: string
  readonly node: string
  readonly state: 'healthy' | 'unhealthy'
}): string {
  return `an upstream node changed: ${change.node} of ${change.upstream} is ${change.state} now`
}
