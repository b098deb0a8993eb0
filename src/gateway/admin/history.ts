/** What was written, and the way back to it: history, rollback, writes that have to be confirmed (contract §3.4). */
import type { Kysely } from 'kysely'
import { DomainError, isObject, renderTime } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { Description } from '../resources/descriptions.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import type { Configuration } from './configuration.ts'
import type { Draft } from './draft.ts'
import { refuse } from './errors.ts'
import type { HistoryEntry, HistoryStore } from './history-store.ts'
import { MASK } from './kept-secrets.ts'
import { type ListQuery, parsePaging } from './lists.ts'
import { keyOf, renderValue } from './render.ts'
import type { Stored } from './store.ts'
import type { GatewayTables } from './tables.ts'

interface Deps {
  readonly configuration: Configuration
  readonly store: HistoryStore
  readonly reader: Kysely<GatewayTables>
  readonly descriptions: ReadonlyMap<Kind, Description>
}

const VIEWER = { isViewer: true }

export function createHistory({ configuration, store, reader, descriptions }: Deps) {
  return { list, rollback, confirm, revert }

  async function list(query: ListQuery) {
    const { page, size } = parsePaging(query)
    const entries = await store.findPage(reader, (page - 1) * size, size)
    return { total: await store.count(reader), list: entries.map(render) }
  }

  /** The whole configuration as it was after that write, as one new write. */
  async function rollback(body: unknown, by: string): Promise<{ revision: number }> {
    const wanted = isObject(body) ? body['revision'] : undefined
    if (typeof wanted !== 'number' || !Number.isSafeInteger(wanted) || wanted < 0) {
      throw refuse('revision must be the number of a revision, such as /history lists them')
    }
    const surplus = isObject(body) ? Object.keys(body).find((name) => name !== 'revision') : null
    if (surplus) throw refuse(`${surplus} is not known: only revision is`)
    return configuration.change((draft, past) => restore(draft, past, wanted), {
      by,
      since: () => wanted,
    })
  }

  /** The configuration that waits for it stays. */
  function confirm(by: string): Promise<{ revision: number }> {
    return configuration.change(
      (draft) => {
        const pending = configuration.pending()
        if (!pending) {
          throw new DomainError('not_found', 'nothing_to_confirm', 'no configuration waits for it')
        }
        draft.mark(PENDING, '')
        return { revision: draft.index }
      },
      { by },
    )
  }

  /** Nobody has confirmed in time: everything is again as it was before the write. */
  async function revert(nowMs: number): Promise<void> {
    const isDue = () => {
      const pending = configuration.pending()
      return pending && pending.deadlineMs <= nowMs ? pending : undefined
    }
    if (!isDue()) return
    await configuration.change(
      (draft, past) => {
        const due = isDue()
        // Another node was first.
        if (due) restore(draft, past, due.revision)
      },
      { by: 'confirm_within', since: () => isDue()?.revision },
    )
  }

  function restore(draft: Draft, past: readonly HistoryEntry[], revision: number) {
    const { floor, current } = configuration.kept()
    if (revision < floor || revision >= draft.index) {
      const kept = `revisions ${floor} to ${current} are kept`
      throw new DomainError('not_found', 'unknown_revision', `revision [${revision}]: ${kept}`)
    }
    // Newest first, so the last word on an object is what it was at that revision.
    const then = new Map(
      past.map(({ kind, id, before }) => [`${kind}/${id}`, { kind, id, before }]),
    )
    for (const { kind, id, before } of then.values()) {
      const isOver = before?.expiresAtMs !== undefined && before.expiresAtMs <= draft.nowMs
      if (before && !isOver) draft.restore(before)
      else if (draft.find(kind, id)) draft.remove(kind, id)
    }
    draft.mark(PENDING, '')
    return { revision: draft.index }
  }

  function render({ revision, atMs, by, kind, id, before, after }: HistoryEntry) {
    const value = (object: Stored | null) => object && shown(object)
    return {
      revision,
      at: renderTime(atMs),
      by: /^\d+$/.test(by) ? Number(by) : by,
      key: keyOf(kind, id),
      before: value(before),
      after: value(after),
    }
  }

  /** Masked for everybody: what is kept for long is read by many. */
  function shown(object: Stored): JsonObject {
    const description = descriptions.get(object.kind)
    if (!description) return {}
    const value = renderValue(object, description, VIEWER)
    if (object.kind === 'plugin_metadata') return maskMembers(value)
    const hidden = description.hidden.filter((name) => Object.hasOwn(object.value, name))
    return { ...value, ...Object.fromEntries(hidden.map((name) => [name, MASK])) }
  }
}

export type History = ReturnType<typeof createHistory>

/** The mark of a write that has to be confirmed: the revision before it and the time that is left. */
export const PENDING = 'pending'

/** Nobody knows what is in metadata of plugins, so all of it is taken for secret. */
function maskMembers(value: JsonObject): JsonObject {
  const own = ['id', 'create_time', 'update_time']
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Json] => [
      name,
      own.includes(name) ? member : MASK,
    ]),
  )
}
