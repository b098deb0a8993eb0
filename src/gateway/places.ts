import { balancers } from './balancers/index.ts'
import type { Slots } from './memory.ts'
import { NO_SLOT } from './memory.ts'
import type { UpstreamPlace } from './protocol.ts'
import type { Placed } from './resources/descriptions.ts'
import { nodeName, nodesOf } from './resources/nodes.ts'
import type { NodeValue, UpstreamValue } from './resources/values.ts'

/**
 * Gives the upstreams of an object their places in the shared memory. A node that stays keeps its
 * place, and with it its health, whatever else is edited.
 */
export function createPlaces(slots: Slots) {
  const taken = new Map<string, Set<string>>()
  return { assign, free }

  function assign(
    owner: string,
    placed: readonly Placed[],
    discovered: (key: string) => readonly NodeValue[] | undefined,
  ): Record<string, UpstreamPlace> {
    const names = new Set<string>()
    const places: Record<string, UpstreamPlace> = {}
    for (const { place, upstream } of placed) {
      const key = upstreamKey(owner, place)
      names.add(`cursor ${key}`)
      const found = discovered(key)
      places[place] = {
        cursor: slots.cursor(`cursor ${key}`),
        nodes: upstream && needsNodes(upstream) ? nodePlaces(key, upstream, found, names) : {},
        ...(found ? { discovered: found } : {}),
      }
    }
    release(owner, names)
    return places
  }

  function nodePlaces(
    key: string,
    upstream: UpstreamValue,
    found: readonly NodeValue[] | undefined,
    names: Set<string>,
  ): Record<string, number> {
    const nodes: Record<string, number> = {}
    for (const node of nodesOf(upstream, found)) {
      const name = nodeName(node)
      const slot = slots.node(`node ${key} ${name}`)
      names.add(`node ${key} ${name}`)
      if (slot !== NO_SLOT) nodes[name] = slot
    }
    return nodes
  }

  function free(owner: string): void {
    release(owner, new Set())
    taken.delete(owner)
  }

  function release(owner: string, kept: Set<string>): void {
    for (const name of taken.get(owner) ?? []) {
      if (kept.has(name)) continue
      if (name.startsWith('cursor ')) slots.freeCursor(name)
      else slots.freeNode(name)
    }
    taken.set(owner, kept)
  }
}

/** `upstreams/1`, or `routes/7/traffic-split/0-1` for one inside another object. */
export function upstreamKey(owner: string, place: string): string {
  return place === '' ? owner : `${owner}/${place}`
}

/** Only what is checked or balanced by load needs a place per node. */
function needsNodes({ checks, type = 'roundrobin' }: UpstreamValue): boolean {
  const isChecked = checks?.active !== undefined || checks?.passive !== undefined
  const balancer = balancers.get(type)
  return isChecked || balancer?.countsBusy === true || balancer?.measuresLatency === true
}
