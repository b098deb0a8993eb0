import type { Balancer } from './balancer.ts'

/** The node with the smallest (requests under way + 1) / weight; equal ones take turns. */
export const leastConn: Balancer = {
  countsBusy: true,
  measuresLatency: false,
  prepare: (nodes, { cursor }) => {
    return () => {
      const start = nodes.length > 1 ? cursor.next(nodes.length) : 0
      let best = nodes[start]
      let lowest = best ? (best.busy() + 1) / best.weight : 0
      for (let step = 1; step < nodes.length; step++) {
        const node = nodes[(start + step) % nodes.length]
        if (!node) continue
        const load = (node.busy() + 1) / node.weight
        if (load >= lowest) continue
        best = node
        lowest = load
      }
      return best
    }
  },
}
