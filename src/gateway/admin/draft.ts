import type { Kind } from '../protocol.ts'
import type { JsonObject } from '../resources/values.ts'
import type { Removed, Stored } from './store.ts'

/** What else is said of an object that is put. */
export interface PutTerms {
  /** When the object ends by itself. */
  readonly expiresAtMs?: number | undefined
}

/** An event that is raised exactly when the change is stored. */
export interface DraftEvent {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

interface Deps {
  readonly objects: ReadonlyMap<string, Stored>
  /** The index of this write. */
  readonly index: number
  readonly nowMs: number
}

/** The configuration as it will be when the change at hand is accepted. */
export interface Draft {
  readonly index: number
  readonly nowMs: number
  find(kind: Kind, id: string): Stored | undefined
  list(kind: Kind): Stored[]
  all(): Stored[]
  put(kind: Kind, id: string, value: JsonObject, terms?: PutTerms): Stored
  /** Brings back an object as it was, with its age. */
  restore(object: Stored): void
  /** Takes an entry out of use; the value stays as it was written. */
  abort(object: Stored, entry: string): void
  emit(event: DraftEvent): void
  remove(kind: Kind, id: string): void
  mark(name: string, value: string): void
  outcome(): {
    readonly put: readonly Stored[]
    readonly removed: readonly Removed[]
    readonly marks: ReadonlyMap<string, string>
    readonly events: readonly DraftEvent[]
  }
}

export function createDraft({ objects, index, nowMs }: Deps): Draft {
  const changed = new Map<string, Stored | Removed>()
  const marks = new Map<string, string>()
  const events: DraftEvent[] = []
  return { index, nowMs, find, list, all, put, restore, abort, emit, remove, mark, outcome }

  function find(kind: Kind, id: string): Stored | undefined {
    const key = `${kind}/${id}`
    const found = changed.get(key) ?? objects.get(key)
    return found && isStored(found) ? found : undefined
  }

  function all(): Stored[] {
    if (changed.size === 0) return [...objects.values()]
    const merged = new Map<string, Stored | Removed>([...objects, ...changed])
    return [...merged.values()].filter(isStored)
  }

  function list(kind: Kind): Stored[] {
    return all().filter((object) => object.kind === kind)
  }

  function put(kind: Kind, id: string, value: JsonObject, { expiresAtMs }: PutTerms = {}): Stored {
    const before = find(kind, id)
    const nowSeconds = Math.floor(nowMs / 1000)
    const object: Stored = {
      kind,
      id,
      value,
      createdIndex: before?.createdIndex ?? index,
      modifiedIndex: index,
      createTime: before?.createTime ?? nowSeconds,
      updateTime: nowSeconds,
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    }
    changed.set(`${kind}/${id}`, object)
    return object
  }

  function restore(object: Stored): void {
    const { aborts: _cleared, ...kept } = object
    const updateTime = Math.floor(nowMs / 1000)
    changed.set(`${kept.kind}/${kept.id}`, { ...kept, modifiedIndex: index, updateTime })
  }

  function abort(object: Stored, entry: string): void {
    const aborts = [...(object.aborts ?? []), entry]
    changed.set(`${object.kind}/${object.id}`, { ...object, modifiedIndex: index, aborts })
  }

  function emit(event: DraftEvent): void {
    events.push(event)
  }

  function remove(kind: Kind, id: string): void {
    changed.set(`${kind}/${id}`, { kind, id })
  }

  function mark(name: string, value: string): void {
    marks.set(name, value)
  }

  function outcome() {
    const all = [...changed.values()]
    return {
      put: all.filter(isStored),
      removed: all.filter((one) => !isStored(one)),
      marks,
      events,
    }
  }
}

function isStored(object: Stored | Removed): object is Stored {
  return 'value' in object
}
