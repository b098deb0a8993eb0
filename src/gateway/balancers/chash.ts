import type { Balancer } from './balancer.ts'

/**
 * Rendezvous hashing: every node scores the key by its own name and weight, the highest score wins.
 * So when a node goes only its keys move, they spread over the others, and they return with it.
 */
export const chash: Balancer = {
  countsBusy: false,
  measuresLatency: false,
  prepare: (nodes) => {
    const seeds = nodes.map(({ name }) => hashOf(name))
    return (key) => {
      const hash = hashOf(key)
      let best = nodes[0]
      let highest = Number.NEGATIVE_INFINITY
      for (const [index, node] of nodes.entries()) {
        const score = -node.weight / Math.log(unit(mix(hash ^ mix(seeds[index] ?? 0))))
        if (score <= highest) continue
        highest = score
        best = node
      }
      return best
    }
  },
}

/** FNV-1a over UTF-16 units; the same in every thread and process. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return mix(hash)
}

/** Spreads every bit over all others (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Above 0 and below 1. */
function unit(hash: number): number {
  return (hash + 0.5) / 0x1_0000_0000
}
