/** What a balancer needs to know of a node. */
export interface BalancedNode {
  /** `host:port` */
  readonly name: string
  readonly weight: number
  /** Requests under way, over all threads. */
  busy(): number
  /** Milliseconds to the first byte of late, decayed by the time since; over all threads. */
  latency(): number
}

interface BalancerDeps {
  /** The position in a cycle, shared by all threads. */
  readonly cursor: { next(length: number): number }
}

/** A way to choose among nodes, and what it needs to know of them. */
export interface Balancer {
  /** It goes by requests under way, which are then counted over all threads. */
  readonly countsBusy: boolean
  /** It goes by how fast nodes answer, which is then measured over all threads. */
  readonly measuresLatency: boolean
  readonly prepare: Prepare
}

/**
 * Prepares the choice among usable nodes, all of weight above 0 and at least one; made anew when the
 * set changes. `key` is the value that a consistent hash goes by.
 */
type Prepare = <N extends BalancedNode>(
  nodes: readonly N[],
  deps: BalancerDeps,
) => (key: string) => N | undefined
