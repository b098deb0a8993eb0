import { balancers } from './balancers/index.ts'
import type { Slots } from './memory.ts'
import { NO_SLOT } from './memory.ts'
import type { UpstreamSlots } from './protocol.ts'
import type { Placed } from './resources/descriptions.ts'
import { nodeName, nodesOf } from './resources/nodes.ts'
import type { NodeValue, UpstreamValue } from './resources/values.ts'

/**
 * Gives the upstreams of an object their slots in the shared memory. A node that stays keeps its
 * slot, and with it its health, whatever else is edited. One that goes keeps it until no thread
 * goes by a configuration that has the node, or requests would go where it is known to have failed.
 */
export function createUpstreamSlots(slots: Slots) {
  const taken = new Map<string, Set<string>>()
  /** Nodes that are in no object any more, by the change that has dropped them. */
  const dropped = new Map<string, number>()
  let change = 0
  return { assign, free, endChange: () => change++, freeDropped }

  function assign(
    owner: string,
    placed: readonly Placed[],
    discovered: (key: string) => readonly NodeValue[] | undefined,
  ): Record<string, UpstreamSlots> {
    const names = new Set<string>()
    const assigned: Record<string, UpstreamSlots> = {}
    for (const { place, upstream } of placed) {
      const key = upstreamKey(owner, place)
      names.add(`cursor ${key}`)
      const found = discovered(key)
      assigned[place] = {
        cursor: slots.cursor(`cursor ${key}`),
        nodes: upstream && needsNodes(upstream) ? nodeSlots(key, upstream, found, names) : {},
        ...(found ? { discovered: found } : {}),
      }
    }
    release(owner, names)
    return assigned
  }

  function nodeSlots(
    key: string,
    upstream: UpstreamValue,
    found: readonly NodeValue[] | undefined,
    names: Set<string>,
  ): Record<string, number> {
    const nodes: Record<string, number> = {}
    for (const node of nodesOf(upstream, found)) {
      const name = nodeName(node)
      const slot = slotFor(`node ${key} ${name}`)
      names.add(`node ${key} ${name}`)
      if (slot !== NO_SLOT) nodes[name] = slot
    }
    return nodes
  }

  function slotFor(name: string): number {
    dropped.delete(name)
    const slot = slots.node(name)
    if (slot !== NO_SLOT || dropped.size === 0) return slot
    // Better than a node that nobody ever checks.
    freeDropped(change)
    return slots.node(name)
  }

  /** Every thread uses that change, and with it all before. */
  function freeDropped(until: number): void {
    for (const [name, at] of dropped) {
      if (at > until) continue
      dropped.delete(name)
      slots.freeNode(name)
    }
  }

  function free(owner: string): void {
    release(owner, new Set())
    taken.delete(owner)
  }

  function release(owner: string, kept: Set<string>): void {
    for (const name of taken.get(owner) ?? []) {
      if (kept.has(name)) continue
      if (name.startsWith('cursor ')) slots.freeCursor(name)
      else dropped.set(name, change)
    }
    taken.set(owner, kept)
  }
}

/** `upstreams/1`, or `routes/7/traffic-split/0-1` for one inside another object. */
export function upstreamKey(owner: string, place: string): string {
  return place === '' ? owner : `${owner}/${place}`
}

/** Only what is checked or balanced by load needs a slot per node. */
function needsNodes({ checks, type = 'roundrobin' }: UpstreamValue): boolean {
  const isChecked = checks?.active !== undefined || checks?.passive !== undefined
  const balancer = balancers.get(type)
  return isChecked || balancer?.countsBusy === true || balancer?.measuresLatency === true
}
