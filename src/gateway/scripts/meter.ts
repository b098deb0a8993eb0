/**
 * Puts a meter into every loop of a WebAssembly module: after so many rounds the module asks the host
 * whether it may go on. A time limit then holds for whatever the module does, searching a text or
 * multiplying long numbers included, where an interpreter's own interrupts are never looked at.
 */

/** The import that is called when the fuel is used up: `meter.tick`. */
export const METER = 'meter'
/** Exported names of the module's variables, which belong to its state just as its memory does. */
export const VARIABLE_PREFIX = 'variable:'
export const FUEL = 'fuel'

const I32 = 0x7f
const FUNCTION = 0
const GLOBAL = 3
const MUTABLE = 1

type Section = { readonly id: number; readonly body: Uint8Array }

export function meterLoops(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(wasm)
  const bodyOf = (id: number) =>
    sections.find((each) => each.id === id)?.body ?? new Uint8Array([0])
  const imports = countImports(bodyOf(2))
  const globals = readGlobals(bodyOf(6))
  const plan: Plan = {
    tick: imports.functions,
    fuel: imports.globals + globals.length,
    move: (index) => (index >= imports.functions ? index + 1 : index),
  }
  const rewrite = new Map<number, (body: Uint8Array) => Uint8Array>([
    [1, (body) => append(body, [[0x60, 0, 0]])],
    [2, (body) => append(body, [tickImport(countOf(bodyOf(1)))])],
    [6, (body) => append(body, [[I32, MUTABLE, 0x41, 1, 0x0b]])],
    [7, (body) => rewriteExports(body, imports.globals, globals, plan)],
    [8, (body) => Uint8Array.from(leb(plan.move(reader(body).number())))],
    [9, (body) => rewriteElements(body, plan)],
    [10, (body) => rewriteCode(body, plan)],
  ])
  const out: number[][] = [[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]]
  const parts: Uint8Array[] = []
  for (const { id, body } of sections) {
    if (id === 0) continue
    const made = rewrite.get(id)?.(body) ?? body
    parts.push(Uint8Array.from([id, ...leb(made.length)]), made)
  }
  return join([Uint8Array.from(out.flat()), ...parts])
}

interface Plan {
  /** Index of the function that is told that the fuel is used up. */
  readonly tick: number
  readonly fuel: number
  /** New index of a function: one more import comes before all functions of the module's own. */
  move(index: number): number
}

function tickImport(type: number): number[] {
  return [...text(METER), ...text('tick'), FUNCTION, ...leb(type)]
}

function rewriteExports(
  body: Uint8Array,
  first: number,
  globals: readonly boolean[],
  plan: Plan,
): Uint8Array {
  const from = reader(body)
  const made: number[][] = []
  for (let left = from.number(); left > 0; left--) {
    const name = from.bytes(from.number())
    const kind = from.byte()
    const index = from.number()
    made.push([
      ...leb(name.length),
      ...name,
      kind,
      ...leb(kind === FUNCTION ? plan.move(index) : index),
    ])
  }
  globals.forEach((isMutable, at) => {
    if (isMutable) made.push([...text(`${VARIABLE_PREFIX}${at}`), GLOBAL, ...leb(first + at)])
  })
  made.push([...text(FUEL), GLOBAL, ...leb(plan.fuel)])
  return list(made)
}

function rewriteElements(body: Uint8Array, plan: Plan): Uint8Array {
  const from = reader(body)
  const made: number[][] = []
  for (let left = from.number(); left > 0; left--) {
    // The only form that C compilers write: functions of the one table, at a constant place.
    if (from.number() !== 0 || from.byte() !== 0x41) throw unknown('element segment')
    const offset = leb(from.number())
    if (from.byte() !== 0x0b) throw unknown('element segment')
    const indices: number[] = []
    const count = from.number()
    for (let at = 0; at < count; at++) indices.push(...leb(plan.move(from.number())))
    made.push([0, 0x41, ...offset, 0x0b, ...leb(count), ...indices])
  }
  return list(made)
}

function rewriteCode(body: Uint8Array, plan: Plan): Uint8Array {
  const from = reader(body)
  const count = from.number()
  const parts: Uint8Array[] = [Uint8Array.from(leb(count))]
  for (let left = count; left > 0; left--) {
    const made = rewriteFunction(from.bytes(from.number()), plan)
    parts.push(Uint8Array.from(leb(made.length)), made)
  }
  return join(parts)
}

function rewriteFunction(body: Uint8Array, plan: Plan): Uint8Array {
  const from = reader(body)
  const check = meterOf(plan)
  const parts: Uint8Array[] = []
  let copied = 0
  for (let left = from.number(); left > 0; left--) {
    from.number()
    from.byte()
  }
  while (!from.isDone()) {
    const at = from.at()
    const code = from.byte()
    if (code === CALL || code === FUNCTION_REFERENCE) {
      const index = from.number()
      parts.push(body.subarray(copied, at + 1), Uint8Array.from(leb(plan.move(index))))
      copied = from.at()
      continue
    }
    skipImmediates(from, code)
    if (code !== LOOP) continue
    parts.push(body.subarray(copied, from.at()), check)
    copied = from.at()
  }
  parts.push(body.subarray(copied))
  return join(parts)
}

/** `if (--fuel === 0) tick()` */
function meterOf({ fuel, tick }: Plan): Uint8Array {
  const variable = leb(fuel)
  const take = [0x23, ...variable, 0x41, 1, 0x6b, 0x24, ...variable]
  return Uint8Array.from([...take, 0x23, ...variable, 0x45, 0x04, 0x40, CALL, ...leb(tick), 0x0b])
}

const LOOP = 0x03
const CALL = 0x10
const FUNCTION_REFERENCE = 0xd2

function skipImmediates(from: Reader, code: number) {
  if (code >= 0x45 && code <= 0xc4) return
  if (code >= 0x28 && code <= 0x3e) return from.skip(2)
  if (code >= 0x20 && code <= 0x26) return from.skip(1)
  switch (code) {
    case 0x00:
    case 0x01:
    case 0x05:
    case 0x0b:
    case 0x0f:
    case 0x1a:
    case 0x1b:
    case 0xd1:
      return
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x0c:
    case 0x0d:
    case 0x3f:
    case 0x40:
    case 0x41:
    case 0x42:
    case 0xd0:
      return from.skip(1)
    case 0x0e:
      return from.skip(from.number() + 1)
    case 0x11:
      return from.skip(2)
    case 0x1c:
      return from.skip(from.number())
    case 0x43:
      return void from.bytes(4)
    case 0x44:
      return void from.bytes(8)
    case 0xfc:
      return skipFurther(from, from.number())
    default:
      throw unknown(`instruction ${code.toString(16)}`)
  }
}

function skipFurther(from: Reader, code: number) {
  if (code <= 7) return
  if (code === 9 || code === 11 || code === 13 || (code >= 15 && code <= 17)) return from.skip(1)
  if (code === 8 || code === 10 || code === 12 || code === 14) return from.skip(2)
  throw unknown(`instruction fc ${code.toString(16)}`)
}

function readSections(wasm: Uint8Array): Section[] {
  const from = reader(wasm)
  from.bytes(8)
  const sections: Section[] = []
  while (!from.isDone()) {
    const id = from.byte()
    sections.push({ id, body: from.bytes(from.number()) })
  }
  return sections
}

function countImports(body: Uint8Array): { functions: number; globals: number } {
  const from = reader(body)
  const counts = { functions: 0, globals: 0 }
  for (let left = from.number(); left > 0; left--) {
    from.bytes(from.number())
    from.bytes(from.number())
    const kind = from.byte()
    if (kind === FUNCTION) {
      counts.functions++
      from.number()
    } else if (kind === GLOBAL) {
      counts.globals++
      from.bytes(2)
    } else {
      if (kind === 1) from.byte()
      const hasMaximum = (from.number() & 1) === 1
      from.skip(hasMaximum ? 2 : 1)
    }
  }
  return counts
}

/** Whether each global of the module's own can change. */
function readGlobals(body: Uint8Array): boolean[] {
  const from = reader(body)
  const globals: boolean[] = []
  for (let left = from.number(); left > 0; left--) {
    from.byte()
    globals.push(from.byte() === MUTABLE)
    if (from.byte() !== 0x41) throw unknown('start value of a variable')
    from.skip(1)
    if (from.byte() !== 0x0b) throw unknown('start value of a variable')
  }
  return globals
}

type Reader = ReturnType<typeof reader>

function reader(bytes: Uint8Array) {
  let at = 0
  return {
    at: () => at,
    isDone: () => at >= bytes.length,
    byte: () => bytes[at++] ?? 0,
    bytes(length: number) {
      at += length
      return bytes.subarray(at - length, at)
    },
    number,
    skip(numbers: number) {
      for (let left = numbers; left > 0; left--) while ((bytes[at++] ?? 0) & 0x80);
    },
  }

  /** Unsigned, in groups of seven bits (LEB128). */
  function number(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if ((byte & 0x80) === 0) return value >>> 0
    }
  }
}

function leb(value: number): number[] {
  const out: number[] = []
  let rest = value
  while (rest > 0x7f) {
    out.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  return [...out, rest]
}

function text(value: string): number[] {
  return [...leb(value.length), ...Buffer.from(value, 'latin1')]
}

function countOf(body: Uint8Array): number {
  return reader(body).number()
}

/** A list with more entries at its end. */
function append(body: Uint8Array, entries: readonly number[][]): Uint8Array {
  const from = reader(body)
  const count = from.number()
  const more = Uint8Array.from(entries.flat())
  return join([Uint8Array.from(leb(count + entries.length)), body.subarray(from.at()), more])
}

function list(entries: readonly number[][]): Uint8Array {
  return Uint8Array.from([...leb(entries.length), ...entries.flat()])
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function unknown(what: string): Error {
  return new Error(`the engine of scripts cannot be metered: unknown ${what}`)
}
