/** Settings that can be changed while the server runs, as a thread without the configuration sees them. */

import type { Bus } from '#bus'
import type { Config } from '#config'
import type { Log } from '#kernel'
import { createSettingsFollower } from '#settings'

/** The areas of `/api/v1/settings/{area}` (access contract §6). */
export type LiveArea =
  | ('delivery' | 'jsonapi' | 'content' | 'graphql')
  | ('limits' | 'webhooks' | 'scrapers')

/** Goes into the `workerData` of a thread. */
export interface SharedSettings {
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** By area: how the program spells what the wire spells otherwise. */
  readonly names: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface FollowedSettings {
  get<K extends LiveArea>(area: K): Config[K]
  onChange(area: LiveArea, handler: () => void): () => void
  close(): void
}

/** The main thread's values, moments later. */
export function followSettings(
  { values, names }: SharedSettings,
  { bus, log }: { readonly bus: Bus; readonly log: Log },
): FollowedSettings {
  const follower = createSettingsFollower({ bus, snapshot: values, log })
  const read = new Map<string, { from: unknown; values: unknown }>()
  return { get, onChange: follower.onChange, close: follower.close }

  function get<K extends LiveArea>(area: K): Config[K] {
    const from = follower.get(area) ?? {}
    const kept = read.get(area)
    if (kept?.from === from && isArea(area, kept.values)) return kept.values
    const renamed: unknown = toProgramNames(from, names[area] ?? {})
    read.set(area, { from, values: renamed })
    if (!isArea(area, renamed)) throw new Error(`there are no settings ${area}`)
    return renamed
  }
}

/** From the names on the wire to those of the program; null means not set. */
export function toProgramNames(
  values: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const key = names[name]
    return key === undefined || value === null ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

/** The values were checked against the schema that `Config` is derived from. */
export function isArea<K extends LiveArea>(_area: K, values: unknown): values is Config[K] {
  return values !== undefined
}
