import type { Kind } from '../protocol.ts'
import type { JsonObject } from '../resources/values.ts'
import type { Removed, Stored } from './store.ts'

interface Deps {
  readonly objects: ReadonlyMap<string, Stored>
  /** The index of this write. */
  readonly index: number
  readonly nowMs: number
}

/** The configuration as it will be when the change at hand is accepted. */
export interface Draft {
  readonly index: number
  find(kind: Kind, id: string): Stored | undefined
  list(kind: Kind): Stored[]
  all(): Stored[]
  put(kind: Kind, id: string, value: JsonObject): Stored
  remove(kind: Kind, id: string): void
  mark(name: string, value: string): void
  outcome(): {
    readonly put: readonly Stored[]
    readonly removed: readonly Removed[]
    readonly marks: ReadonlyMap<string, string>
  }
}

export function createDraft({ objects, index, nowMs }: Deps): Draft {
  const changed = new Map<string, Stored | Removed>()
  const marks = new Map<string, string>()
  return { index, find, list, all, put, remove, mark, outcome }

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

  function put(kind: Kind, id: string, value: JsonObject): Stored {
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
    }
    changed.set(`${kind}/${id}`, object)
    return object
  }

  function remove(kind: Kind, id: string): void {
    changed.set(`${kind}/${id}`, { kind, id })
  }

  function mark(name: string, value: string): void {
    marks.set(name, value)
  }

  function outcome() {
    const all = [...changed.values()]
    return { put: all.filter(isStored), removed: all.filter((one) => !isStored(one)), marks }
  }
}

function isStored(object: Stored | Removed): object is Stored {
  return 'value' in object
}
