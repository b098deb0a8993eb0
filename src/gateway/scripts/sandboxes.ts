import {
  compileEngine,
  type Engine,
  type HostCall,
  type Image,
  LOAD_LIMIT_MS,
  openEngine,
  ScriptFailure,
  type ScriptSource,
  type Times,
} from './engine.ts'

/** A script of one settings object. Loaded when it is first called, or again when it was put away. */
export interface Script {
  readonly source: ScriptSource
  image: Image | null
  /** Until then it is not tried in a thread where others wait for it. */
  inWorkerUntilMs: number
  /** Its last call in a worker was ended at its limit. */
  isEndless: boolean
}

export function createScript(source: ScriptSource): Script {
  return { source, image: null, inWorkerUntilMs: 0, isEndless: false }
}

interface Slot {
  readonly engine: Engine
  script: Script | null
  /** Whose variables the engine holds: those of one route are invisible to any other. */
  scope: string
  usedAt: number
}

/** A route with scripts before and after its other plugins, and a second route, find their own state. */
const MAX_SLOTS = 3
const LOADING: Times = { limitMs: LOAD_LIMIT_MS, turnMs: Number.POSITIVE_INFINITY }
/** Of images that are kept; about half a mebibyte each. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024

/** The engines of one thread, and which script each of them holds. */
export function createSandboxes() {
  const slots: Slot[] = []
  /** The last one is the one that was used last. */
  const loaded = new Set<Script>()
  let compiled: Promise<WebAssembly.Module> | null = null
  let opening: Promise<void> | null = null
  let imageBytes = 0
  let calls = 0
  let isWidening = false
  return { open, isOpen: () => slots.length > 0, findFailure, run }

  /** Nothing else works before. Costs some memory and a tenth of a second, so only who has scripts pays. */
  function open(): Promise<void> {
    opening ??= grow()
    return opening
  }

  async function grow(): Promise<void> {
    compiled ??= compileEngine()
    slots.push({ engine: await openEngine(await compiled), script: null, scope: '', usedAt: 0 })
  }

  /** Why a script cannot be loaded; null when it can. */
  function findFailure(source: ScriptSource): ScriptFailure | null {
    const slot = oldest()
    slot.script = null
    try {
      slot.engine.load(source, LOADING)
      return null
    } catch (error) {
      if (error instanceof ScriptFailure) return error
      throw error
    }
  }

  /** What the script has decided, as text; throws `ScriptFailure`, or `TurnOver`. */
  function run(script: Script, scope: string, host: HostCall, times: Times): string {
    const slot = slots.find((each) => each.script === script && each.scope === scope) ?? enter()
    slot.usedAt = ++calls
    try {
      return slot.engine.call(host, times)
    } catch (error) {
      // Its state cannot be relied on: the next call starts from the image again.
      slot.script = null
      throw error
    }

    function enter(): Slot {
      const chosen = oldest()
      // A second engine is worth its memory as soon as scripts take turns.
      if (chosen.script !== null && slots.length < MAX_SLOTS) widen()
      chosen.script = null
      const image = script.image ?? load(chosen, script, times.turnMs)
      loaded.delete(script)
      loaded.add(script)
      chosen.engine.restore(image)
      chosen.script = script
      chosen.scope = scope
      return chosen
    }
  }

  function widen() {
    if (isWidening) return
    isWidening = true
    const done = () => {
      isWidening = false
    }
    grow().then(done, done)
  }

  function oldest(): Slot {
    const [first, ...rest] = slots
    if (!first) throw new Error('the engine of scripts is not open')
    return rest.reduce((oldest, slot) => (slot.usedAt < oldest.usedAt ? slot : oldest), first)
  }

  function load({ engine }: Slot, script: Script, turnMs: number): Image {
    const image = engine.load(script.source, { limitMs: LOAD_LIMIT_MS, turnMs })
    script.image = image
    imageBytes += image.bytes
    for (const old of loaded) {
      if (imageBytes <= MAX_IMAGE_BYTES) break
      imageBytes -= old.image?.bytes ?? 0
      old.image = null
      loaded.delete(old)
    }
    return image
  }
}
