import type { Balancer } from './balancer.ts'

/** Weighted and interleaved: after every full cycle the counts equal the weights exactly. */
export const roundrobin: Balancer = {
  countsBusy: false,
  measuresLatency: false,
  prepare: (nodes, { cursor }) => {
    const sequence = interleave(nodes.map(({ weight }) => weight))
    return () => nodes[sequence[cursor.next(sequence.length)] ?? 0]
  },
}

const MAX_CYCLE = 100_000

/**
 * One cycle of positions. The order is that of the smooth weighted algorithm: the node furthest
 * behind its share comes next, so that a heavy node does not get its requests in a row.
 */
export function interleave(weights: readonly number[]): number[] {
  const factor = weights.reduce(commonFactor, 0) || 1
  const total = weights.reduce((sum, weight) => sum + weight, 0) / factor
  // Beyond this a cycle would cost more memory than its exactness is worth.
  const scale = total > MAX_CYCLE ? total / MAX_CYCLE : 1
  const shares = weights.map((weight) =>
    weight === 0 ? 0 : Math.max(1, Math.round(weight / factor / scale)),
  )
  const length = shares.reduce((sum, share) => sum + share, 0)
  return smooth(shares, length)
}

/** Millions of steps where nodes are many and their weights large, in which nobody else is served. */
function smooth(shares: readonly number[], length: number): number[] {
  const gains = Float64Array.from(shares)
  const behind = new Float64Array(shares.length)
  const sequence: number[] = []
  while (sequence.length < length) {
    let chosen = 0
    let furthest = Number.NEGATIVE_INFINITY
    for (let index = 0; index < gains.length; index++) {
      const place = (behind[index] ?? 0) + (gains[index] ?? 0)
      behind[index] = place
      if (place <= furthest) continue
      furthest = place
      chosen = index
    }
    behind[chosen] = furthest - length
    sequence.push(chosen)
  }
  return sequence
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b)
}
