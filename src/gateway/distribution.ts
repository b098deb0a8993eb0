/** Brings stored objects to the threads, with their slots in the shared memory, and to the probes. */
import type { KeyPair, Log } from '#kernel'
import type { Removed, Stored } from './admin/store.ts'
import type { GatewayControl } from './control.ts'
import { createDiscovery } from './discovery.ts'
import { createSlots } from './memory.ts'
import { createProbes } from './probes.ts'
import type { ConfigChange, ConfigObject, Kind } from './protocol.ts'
import type { Description, Placed } from './resources/descriptions.ts'
import type { JsonObject, UpstreamValue } from './resources/values.ts'
import { createUpstreamSlots, upstreamKey } from './upstream-slots.ts'

interface Deps {
  readonly control: GatewayControl
  readonly descriptions: ReadonlyMap<Kind, Description>
  readonly log: Log
  /** Whether certificates of upstreams that say nothing of it are verified. */
  readonly verifyTls: boolean
  /** The value with what its references stand for. */
  resolve(value: JsonObject): { readonly value: JsonObject }
}

export function createDistribution({ control, descriptions, log, verifyTls, resolve }: Deps) {
  const { memory } = control
  const upstreamSlots = createUpstreamSlots(createSlots(memory))
  const probes = createProbes({ memory, log, verifyTls, pairOf })
  const discovery = createDiscovery({ log, onChange: rediscovered })
  const known = new Map<string, { stored: Stored; placed: readonly Placed[] }>()
  let last: Promise<unknown> = Promise.resolve()
  return { load, publish, probes, close }

  async function load(stored: readonly Stored[]): Promise<void> {
    await Promise.all(stored.map(discover))
    control.load(stored.map((object) => ({ put: toObject(object) })))
  }

  /** In the order of the calls, also when one has to wait for names to be resolved. */
  async function publish(put: readonly Stored[], removed: readonly Removed[]): Promise<void> {
    const turn = last.then(() => Promise.all(put.map(discover)))
    const posted = turn.then(() => ({ used: post(put, removed) }))
    last = posted.catch(() => {})
    await (await posted).used
  }

  function post(put: readonly Stored[], removed: readonly Removed[]): Promise<number> {
    const changes: ConfigChange[] = [
      ...put.map((object) => ({ put: toObject(object) })),
      ...removed.map(({ kind, id }) => ({ remove: { kind, id } })),
    ]
    for (const object of removed) forget(object)
    return send(changes)
  }

  async function send(changes: readonly ConfigChange[]): Promise<number> {
    const change = upstreamSlots.endChange()
    const revision = await control.publish(changes)
    upstreamSlots.freeDropped(change)
    return revision
  }

  async function discover(object: Stored): Promise<void> {
    const owner = ownerOf(object)
    await Promise.all(
      placedIn(object).map(async ({ place, upstream }) => {
        if (upstream?.service_name) await discovery.follow(upstreamKey(owner, place), upstream)
        else discovery.forget(upstreamKey(owner, place))
      }),
    )
  }

  /** The stored object with what the threads need beside it. */
  function toObject(stored: Stored): ConfigObject {
    const { kind, id, createdIndex, modifiedIndex, aborts } = stored
    const owner = ownerOf(stored)
    const placed = placedIn(stored)
    const before = known.get(owner)?.placed ?? []
    known.set(owner, { stored, placed })
    const assigned = upstreamSlots.assign(owner, placed, discovery.nodesOf)
    for (const { place, upstream } of placed) {
      const at = assigned[place]
      if (upstream && at) probes.update({ key: upstreamKey(owner, place), upstream, slots: at })
    }
    for (const { place } of before) {
      if (assigned[place]) continue
      probes.remove(upstreamKey(owner, place))
      discovery.forget(upstreamKey(owner, place))
    }
    const { value } = resolve(stored.value)
    return toConfigObject({
      ...{ kind, id, value, createdIndex, modifiedIndex, slots: assigned },
      ...(aborts ? { aborts } : {}),
    })
  }

  function forget(object: Removed) {
    const owner = ownerOf(object)
    for (const { place } of known.get(owner)?.placed ?? []) {
      probes.remove(upstreamKey(owner, place))
      discovery.forget(upstreamKey(owner, place))
    }
    known.delete(owner)
    upstreamSlots.free(owner)
  }

  function rediscovered(key: string) {
    const owner = [...known.keys()].find((each) => key === each || key.startsWith(`${each}/`))
    const found = owner === undefined ? undefined : known.get(owner)
    if (found) void send([{ put: toObject(found.stored) }])
  }

  /** As threads show it: of the upstream itself, or the certificate that it names. */
  function pairOf({ tls }: UpstreamValue): KeyPair | null {
    const { client_cert: cert, client_key: key, client_cert_id: id } = tls ?? {}
    if (cert !== undefined && key !== undefined) return { cert, key }
    const named = id === undefined ? undefined : known.get(`ssls/${id}`)?.stored.value
    const { cert: itsCert, key: itsKey } = named ? resolve(named).value : {}
    if (typeof itsCert !== 'string' || typeof itsKey !== 'string') return null
    return { cert: itsCert, key: itsKey }
  }

  function placedIn({ kind, value }: Stored): readonly Placed[] {
    return descriptions.get(kind)?.placed(value) ?? []
  }

  function close() {
    probes.close()
    discovery.close()
  }
}

function ownerOf({ kind, id }: Removed): string {
  return `${kind}/${id}`
}

/** The value was checked against the schema of its kind before it was stored. */
function toConfigObject(
  object: { kind: Kind; value: unknown } & Omit<ConfigObject, 'kind' | 'value'>,
) {
  if (!isConfigObject(object)) throw new Error('not an object of the configuration')
  return object
}

function isConfigObject(object: object): object is ConfigObject {
  return 'kind' in object && 'value' in object
}
