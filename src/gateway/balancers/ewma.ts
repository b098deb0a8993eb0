import type { Balancer } from './balancer.ts'

/**
 * Of two nodes the one that has answered faster of late, by its weight. Two, not all: the fastest
 * would get everything until it is slow. The pairs take turns, so every node is compared with every other.
 */
export const ewma: Balancer = {
  countsBusy: false,
  measuresLatency: true,
  prepare: (nodes, { cursor }) => {
    const count = nodes.length
    if (count === 1) return () => nodes[0]
    return () => {
      const turn = cursor.next(count * (count - 1))
      const first = turn % count
      const one = nodes[first]
      const other = nodes[(first + 1 + Math.floor(turn / count)) % count]
      if (!one || !other) return one ?? other
      return other.latency() / other.weight < one.latency() / one.weight ? other : one
    }
  },
}
