/** Parts of the configuration that a guard takes out of use (contract §7.6). */
import { isObject, type Log, renderTime } from '#kernel'
import type { Abort } from '../protocol.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import type { Configuration } from './configuration.ts'

/** The event of the product, and what it carries. */
export const GATEWAY_EVENTS = [
  {
    name: 'gateway.split.aborted',
    description: 'A guard has taken an entry of a traffic split out of use until its next edit',
    visibility: 'staff',
    examplePayload: {
      resource: '/gateway/routes/7',
      rule: 0,
      entry: 1,
      upstream_id: 'canary',
      requests: 40,
      errors: 23,
      error_ratio: 0.5,
      at: '2026-05-04T10:20:30.123Z',
    },
  },
] as const

interface Deps {
  readonly configuration: Configuration
  readonly log: Log
}

/** One part that is out of use, for the metrics. */
export interface AbortedPart {
  readonly owner: string
  readonly rule: number
  readonly entry: number
}

export function createAborts({ configuration, log }: Deps) {
  return { note, list }

  /** Stored once, however many threads and nodes have found it, with the event that tells of it. */
  async function note(abort: Abort): Promise<void> {
    const { kind, id, part, requests, errors } = abort
    const isOld = () => {
      const found = configuration.find(kind, id)
      return !found || found.modifiedIndex !== abort.modifiedIndex
    }
    if (isOld()) return
    try {
      await configuration.change(
        (draft) => {
          const found = draft.find(kind, id)
          // Edited since, or another part of it was aborted: then its guard begins anew.
          if (!found || found.modifiedIndex !== abort.modifiedIndex) return
          draft.abort(found, part)
          const { rule, entry } = placeOf(part)
          const settings = entryIn(found.value, rule, entry)
          const guard = isObject(settings['guard']) ? settings['guard'] : {}
          draft.emit({
            type: 'gateway.split.aborted',
            payload: {
              resource: `/gateway/${kind}/${id}`,
              rule,
              entry,
              upstream_id:
                settings['upstream_id'] === undefined ? null : String(settings['upstream_id']),
              requests,
              errors,
              error_ratio: guard['error_ratio'] ?? null,
              at: renderTime(draft.nowMs),
            },
          })
        },
        { by: 'guard' },
      )
      log.warn({ owner: `${kind}/${id}`, part, requests, errors }, 'a traffic split was aborted')
    } catch (error) {
      log.error({ err: error, owner: `${kind}/${id}`, part }, 'an aborted split cannot be stored')
    }
  }

  function list(): AbortedPart[] {
    return [...configuration.all()].flatMap(({ kind, id, aborts = [] }) =>
      aborts.map((part) => ({ owner: `${kind}/${id}`, ...placeOf(part) })),
    )
  }
}

/** `traffic-split/0-1` is the second entry of the first rule. */
function placeOf(part: string): { rule: number; entry: number } {
  const [rule, entry] = part.slice(part.indexOf('/') + 1).split('-')
  return { rule: Number(rule), entry: Number(entry) }
}

function entryIn({ plugins }: JsonObject, rule: number, entry: number): JsonObject {
  const split = isObject(plugins) ? plugins['traffic-split'] : undefined
  const rules = isObject(split) && Array.isArray(split['rules']) ? split['rules'] : []
  const entries = isObject(rules[rule]) ? rules[rule]['weighted_upstreams'] : []
  const found = Array.isArray(entries) ? entries[entry] : undefined
  return isObject<Json>(found) ? found : {}
}
