import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import imported from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { FUEL, METER, meterLoops, VARIABLE_PREFIX } from './meter.ts'
import { PRELUDE } from './prelude.ts'

/** What the sandbox may ask of its host: texts in, a text or nothing out. */
export type HostCall = (operation: string, a: string, b: string) => string | undefined

/** What a script needs to be loaded. */
export interface ScriptSource {
  readonly phase: string
  readonly functions: readonly string[]
  readonly mayReadBody: boolean
  /** The plugin's settings as JSON. */
  readonly conf: string
}

/** State of an engine at one moment: a copy of its memory and variables. */
export interface Image {
  readonly bytes: number
  /** What lies below the stack, and what lies above. */
  readonly low: Uint8Array
  readonly high: Uint8Array
  readonly variables: readonly number[]
}

export type FailureCode = 'script_timeout' | 'script_memory' | 'script_stack' | 'script_error'

/** A script that has failed; `message` and `trace` are for logs and for whoever wrote the script. */
export class ScriptFailure extends Error {
  readonly code: FailureCode
  readonly trace: string
  constructor(code: FailureCode, message: string, trace = '') {
    super(message)
    this.code = code
    this.trace = trace
  }
}

class TimeUp extends Error {}

/** The thread is needed for others; the script itself may still be within its limit. */
export class TurnOver extends Error {}

const PAGE = 64 * 1024
const MEMORY_LIMIT = 16 * 1024 * 1024
const STACK_LIMIT = 128 * 1024
/** Room for what a script may have, the engine itself and what its allocator wastes. */
const MAX_PAGES = (28 * 1024 * 1024) / PAGE
const INITIAL_PAGES = (16 * 1024 * 1024) / PAGE
/** Rounds of loops between two looks at the clock: well below a millisecond. */
const FUEL_ROUNDS = 10_000
/**
 * The engine's stack lies between its data and its heap. At rest nothing below the stack pointer is in
 * use, so that most of it need not be copied; checked when an engine opens.
 */
const DEAD_STACK_BYTES = 4.75 * 1024 * 1024
/** A script may take this long to define its functions, at a write and in every thread. */
export const LOAD_LIMIT_MS = 100
const ZEROS = Buffer.alloc(PAGE)

/** Compiled once for as many engines as a thread wants. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const file = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))
  return new WebAssembly.Module(meterLoops(await readFile(file)))
}

export type Engine = Awaited<ReturnType<typeof openEngine>>

/**
 * An interpreter in a memory of its own that cannot grow without bound. A script is loaded into a blank
 * image; the image that results is what every first call, and every call after a failure, starts from.
 */
export async function openEngine(compiled: WebAssembly.Module) {
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES })
  const variables: WebAssembly.Global[] = []
  let fuel: WebAssembly.Global | undefined
  let limit = NO_LIMIT
  let host: HostCall = () => undefined

  const { context, runtime } = await open()
  const prelude = takeOver()
  const stackTop = Math.floor(Number(variables[0]?.value ?? 0) / PAGE) * PAGE
  const stackEnd = findDeadStack()
  const blank = save()
  warmUp()
  return { load, call, restore, save }

  async function open() {
    const quickJs = await newQuickJSWASMModuleFromVariant(
      newVariant(variantOf(imported), {
        wasmMemory: memory,
        emscriptenModule: { instantiateWasm, ...QUIET },
      }),
    )
    const runtime = quickJs.newRuntime()
    runtime.setMemoryLimit(MEMORY_LIMIT)
    runtime.setMaxStackSize(STACK_LIMIT)
    return { runtime, context: runtime.newContext() }
  }

  function instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports {
    const instance = new WebAssembly.Instance(compiled, { ...imports, [METER]: { tick } })
    for (const [name, value] of Object.entries(instance.exports)) {
      if (!(value instanceof WebAssembly.Global)) continue
      if (name === FUEL) fuel = value
      else if (name.startsWith(VARIABLE_PREFIX)) variables.push(value)
    }
    done(instance)
    return instance.exports
  }

  function tick(): void {
    const end = findEnd(limit)
    // Somebody in between may catch the error: the next round of any loop throws it again.
    if (fuel) fuel.value = end ? 1 : FUEL_ROUNDS
    if (end) throw end
  }

  function takeOver() {
    const hostFunction = context.newFunction('host', (operation, a, b) => {
      const given = host(context.getString(operation), optional(a), optional(b))
      return given === undefined ? context.undefined : context.newString(given)
    })
    const make = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'))
    const made = context.unwrapResult(context.callFunction(make, context.undefined, hostFunction))
    const member = (name: string) => context.getProp(made, name)
    return {
      add: member('add'),
      configure: member('configure'),
      run: member('run'),
      finish: member('finish'),
    }
  }

  function optional(handle: QuickJSHandle | undefined): string {
    return handle === undefined ? '' : context.getString(handle)
  }

  /** The image of a loaded script; throws `ScriptFailure` with the text that is at fault. */
  function load({ functions, phase, mayReadBody, conf }: ScriptSource, times: Times): Image {
    wipe()
    return limited(times, () => {
      functions.forEach((source, at) => {
        const made = compile(context, source, at)
        unwrap(context.callFunction(prelude.add, context.undefined, made)).dispose()
        made.dispose()
      })
      const settings = `{"phase":${JSON.stringify(phase)},"mayReadBody":${mayReadBody},"conf":${conf}}`
      const given = context.newString(settings)
      unwrap(context.callFunction(prelude.configure, context.undefined, given)).dispose()
      given.dispose()
      return save()
    })
  }

  /** The outcome as text; throws `ScriptFailure` or `TurnOver`; then the engine has to be restored. */
  function call(answer: HostCall, times: Times): string {
    host = answer
    return limited(times, () => {
      const result = unwrap(context.callFunction(prelude.run, context.undefined))
      if (context.typeof(result) === 'string') return take(result)
      drain()
      const settled = unwrap(context.callFunction(prelude.finish, context.undefined))
      if (context.typeof(settled) === 'string') return take(settled)
      throw new ScriptFailure('script_timeout', 'a promise never settles')
    })
  }

  function take(handle: QuickJSHandle): string {
    const text = context.getString(handle)
    handle.dispose()
    return text
  }

  function drain(): void {
    while (runtime.hasPendingJob()) {
      const done = runtime.executePendingJobs()
      if (done.error) throw failureOf(context, done.error)
      done.dispose()
    }
  }

  function unwrap(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (result.error) throw failureOf(context, result.error)
    return result.value
  }

  function limited<T>({ limitMs, turnMs }: Times, work: () => T): T {
    const startedAt = performance.now()
    limit = { endsAt: startedAt + limitMs, turnEndsAt: startedAt + turnMs, limitMs, cpu: null }
    if (fuel) fuel.value = FUEL_ROUNDS
    try {
      return work()
    } catch (error) {
      throw toFailure(error)
    } finally {
      limit = NO_LIMIT
    }
  }

  /** Where the dead part of the stack begins; its end when the engine is laid out differently. */
  function findDeadStack(): number {
    const from = stackTop - DEAD_STACK_BYTES
    const bytes = new Uint8Array(memory.buffer)
    const isUnused = from > 0 && usedBytes(bytes.subarray(from, stackTop - 16 * PAGE)) === 0
    return isUnused ? from : stackTop
  }

  /** The machine code of most of the interpreter is made now, and not in the time of a script. */
  function warmUp(): void {
    const source = { phase: 'access', mayReadBody: false, conf: '{}' }
    const functions = [
      "return async (conf, ctx) => { ctx.set('a', /a+/.exec('aa')[0]); return [200, {}] }",
    ]
    load({ ...source, functions }, UNLIMITED)
    call(() => undefined, UNLIMITED)
  }

  function save(): Image {
    const bytes = new Uint8Array(memory.buffer)
    const low = bytes.slice(0, stackEnd)
    const high = bytes.slice(stackTop, usedBytes(bytes))
    const state = variables.map(({ value }) => Number(value))
    return { low, high, variables: state, bytes: low.length + high.length }
  }

  function restore(image: Image): void {
    const bytes = new Uint8Array(memory.buffer)
    bytes.set(image.low)
    bytes.set(image.high, stackTop)
    variables.forEach((variable, at) => {
      variable.value = image.variables[at] ?? 0
    })
  }

  /** Nothing of what ran before is left, so that the next image is no larger than it has to be. */
  function wipe(): void {
    const bytes = new Uint8Array(memory.buffer)
    bytes.fill(0, stackTop, usedBytes(bytes))
    restore(blank)
  }
}

/** How long something may take. */
export interface Times {
  /** Of the processor. */
  readonly limitMs: number
  /** By the clock, after which the thread is needed for others; infinite in a thread without others. */
  readonly turnMs: number
}

const UNLIMITED: Times = { limitMs: Number.POSITIVE_INFINITY, turnMs: Number.POSITIVE_INFINITY }

interface Limit {
  readonly endsAt: number
  readonly turnEndsAt: number
  readonly limitMs: number
  /** At the first look at the clock, which most calls never come to. */
  cpu: NodeJS.CpuUsage | null
}

const NO_LIMIT: Limit = {
  endsAt: Number.POSITIVE_INFINITY,
  turnEndsAt: Number.POSITIVE_INFINITY,
  limitMs: Number.POSITIVE_INFINITY,
  cpu: null,
}

/**
 * A limit is time of the processor: on a machine that has much else to do a thread stands still now and
 * then, which is neither the script's fault nor a delay by the script. Up to this long; in a gateway
 * thread, where others wait, the clock ends the turn of a script long before.
 */
const STANDSTILL_MS = 15_000

/** Undefined: the script may go on. */
function findEnd(limit: Limit): Error | undefined {
  const { endsAt, turnEndsAt, limitMs } = limit
  if (limit === NO_LIMIT) return undefined
  limit.cpu ??= process.threadCpuUsage()
  const now = performance.now()
  if (now > endsAt && (now > endsAt + STANDSTILL_MS || usedMs(limit.cpu) >= limitMs)) {
    return new TimeUp()
  }
  return now > turnEndsAt ? new TurnOver() : undefined
}

function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

/** The package's types take its module for one of CommonJS, with a further `default` inside. */
function variantOf(given: QuickJSSyncVariant | { readonly default: QuickJSSyncVariant }) {
  return 'default' in given ? given.default : given
}

/** The engine's own complaints are no lines of a server's output. */
const QUIET = { print() {}, printErr() {} }

/** Up to the last page that holds anything. Pages that nobody touched are read and stay untouched. */
function usedBytes(bytes: Uint8Array): number {
  let end = bytes.length
  while (end > 0 && ZEROS.equals(bytes.subarray(end - PAGE, end))) end -= PAGE
  return end
}

/** A function expression, or a body that returns a function (contract §8). */
function compile(context: QuickJSContext, source: string, at: number): QuickJSHandle {
  const name = `function-${at + 1}.js`
  const text = source.replace(/[;\s]+$/, '')
  const expression = context.evalCode(`(${text}\n)`, name)
  const first = expression.error ? failureOf(context, expression.error) : null
  if (first && !first.message.startsWith('SyntaxError')) throw first
  const made = expression.error ? evalBody() : expression.value
  if (context.typeof(made) === 'function') return made
  throw new ScriptFailure('script_error', 'is no function and returns none')

  function evalBody(): QuickJSHandle {
    const body = context.evalCode(`(function () {${source}\n})()`, name)
    if (!body.error) return body.value
    const second = failureOf(context, body.error)
    const isBody = !second.message.startsWith('SyntaxError') || /^\s*return\b/m.test(source)
    throw isBody ? second : first
  }
}

function failureOf(context: QuickJSContext, error: QuickJSHandle): ScriptFailure {
  const thrown: unknown = context.dump(error)
  error.dispose()
  const { name, message, stack } = describe(thrown)
  const text = name === '' ? message : `${name}: ${message}`
  return new ScriptFailure(codeOf(thrown, name, message), text, stack)
}

function describe(thrown: unknown): { name: string; message: string; stack: string } {
  if (typeof thrown !== 'object' || thrown === null) {
    return { name: '', message: String(thrown), stack: '' }
  }
  const member = (key: string) => String(Object.entries(thrown).find(([k]) => k === key)?.[1] ?? '')
  return { name: member('name'), message: member('message'), stack: member('stack') }
}

function codeOf(thrown: unknown, name: string, message: string): FailureCode {
  // Not even the error found room.
  if (thrown === null) return 'script_memory'
  if (/out of memory|string too long|invalid string length|invalid repeat/.test(message)) {
    return 'script_memory'
  }
  if (/stack overflow|call stack size/.test(message) && name !== 'Error') return 'script_stack'
  return 'script_error'
}

function toFailure(error: unknown): unknown {
  if (error instanceof ScriptFailure) return error
  if (error instanceof TimeUp) return new ScriptFailure('script_timeout', 'took too long')
  if (error instanceof RangeError) return new ScriptFailure('script_stack', 'stack overflow')
  if (error instanceof WebAssembly.RuntimeError) {
    return new ScriptFailure('script_memory', 'the sandbox broke down')
  }
  return error
}
