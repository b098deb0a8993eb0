import type { Claim } from '#kernel'
import { newLane } from './held-lane.ts'
import type { HeldLane, Lanes } from './types.ts'

interface ClaimedRow {
  readonly subscription_id: string
  readonly failure_count: number
}

export interface ClaimingDeps {
  claimLanes(limit: number): Promise<Claim<ClaimedRow, string>>
  /** Requests at once. */
  workers(): number
}

const LANES_PER_CLAIM = 256
const MAX_LANES = 1_024

/** Takes lanes on which something is due, and keeps those that are worked on. */
export function createClaiming({ claimLanes, workers }: ClaimingDeps, lanes: Lanes) {
  let mayBeDue = true
  let crowded = false
  return { look, claim, renew, isCrowded: () => crowded }

  /** There may be lanes to take. */
  function look() {
    mayBeDue = true
  }

  /** True when another turn is worth it. */
  async function claim(): Promise<boolean> {
    if (!mayBeDue) return false
    // No more than can be worked on soon: other nodes may be free for the rest.
    const room = Math.min(LANES_PER_CLAIM, MAX_LANES - lanes.size, workers() * 2 - waiting())
    if (room <= 0) return false
    mayBeDue = false
    const claimed = await claimLanes(room)
    for (const { subscription_id: id, failure_count } of claimed.rows) {
      const held = lanes.get(id)
      // Its lease ran out unnoticed and nobody else came: what is under way goes on.
      if (held) held.claim = claimed
      else lanes.set(id, newLane(id, failure_count, claimed))
    }
    crowded = claimed.rows.length === room
    if (crowded) mayBeDue = true
    return claimed.rows.length > 0 || mayBeDue
  }

  /** Deliveries that are read and not yet sent, and lanes that are not read yet. */
  function waiting(): number {
    let count = 0
    for (const { queue, target } of lanes.values()) count += queue.length + (target ? 0 : 1)
    return count
  }

  /** A lane that is no longer ours is another node's: what is under way may be sent twice. */
  async function renew() {
    const claims = Map.groupBy(lanes.values(), (lane: HeldLane) => lane.claim)
    for (const [held, own] of claims) {
      const kept = new Set(await held.renew(own.map(({ id }) => id)))
      for (const lane of own) {
        if (!kept.has(lane.id) && lanes.get(lane.id) === lane) lanes.delete(lane.id)
      }
    }
  }
}
