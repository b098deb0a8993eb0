import { createRecent, type Recent } from './recent.ts'

const TEXTS_KEPT = 200
/** Longer ones are seldom sent twice. */
const LONGEST_KEPT = 2_000
/** Texts that mean something else with every value, or are as long as one another, are left alone then. */
const MOST_TRIALS = 20

/** What was made of a text, and with which other text the values were put into that. */
interface Refilled<Made, Context> {
  readonly made: Made
  readonly context: Context
}

interface Known<Made, Context> {
  readonly first: Sample<Made>
  readonly context: Context
  trials: number
  refill?: Refill<Made> | undefined
  /** Longer values were not seen yet; one that is too great for something may mean something else. */
  longest: number
}

type Refill<Made> = (values: readonly string[]) => Made | undefined

interface Sample<Made> {
  readonly values: readonly string[]
  readonly made: Made
}

/**
 * Lists are mostly asked with other values than before and are otherwise the same. What two such texts
 * were made to shows where their values went; others are then not looked at, their values are put there.
 * Each match of `holes` ends with a value, its last group. Wherever that stands as it is in what is made
 * of a text, every value of the kind that matches must.
 */
export function createRefilled<Owner extends object, Made extends object, Context = undefined>(
  holes: RegExp,
) {
  const known = new WeakMap<Owner, Recent<string, Known<Made, Context>>>()
  return { find, learn }

  function find(owner: Owner, text: string): Refilled<Made, Context> | undefined {
    const recent = known.get(owner)
    if (!recent || text.length > LONGEST_KEPT) return undefined
    const { pattern, values } = withHoles(text, holes)
    const found = recent.find(pattern)
    if (!found?.refill || longestOf(values) > found.longest) return undefined
    const made = found.refill(values)
    return made && { made, context: found.context }
  }

  /** What the text was made to, by the ordinary way. */
  function learn(owner: Owner, text: string, made: Made, context: Context): void {
    if (text.length > LONGEST_KEPT) return
    const { pattern, values } = withHoles(text, holes)
    if (values.length === 0) return
    const recent = known.get(owner) ?? createRecent<string, Known<Made, Context>>(TEXTS_KEPT)
    known.set(owner, recent)
    const found = recent.find(pattern)
    const sample = { values, made }
    if (found) learnMore(found, sample)
    else recent.keep(pattern, { first: sample, context, trials: 0, longest: longestOf(values) })
  }
}

function learnMore<Made>(known: Known<Made, unknown>, sample: Sample<Made>): void {
  const { first, refill } = known
  if (known.trials >= MOST_TRIALS || isAlike(first.values, sample.values)) return
  known.trials++
  const made = refill?.(sample.values)
  if (!made) known.refill = refillOf(first, sample)
  // What does not hold of one more holds of none.
  else if (!isAlike([made], [sample.made])) known.refill = undefined
  if (known.refill) known.longest = Math.max(known.longest, longestOf(sample.values))
}

function longestOf(values: readonly string[]): number {
  return Math.max(...values.map(({ length }) => length))
}

function withHoles(text: string, holes: RegExp) {
  const values: string[] = []
  const pattern = text.replace(holes, (...found: unknown[]) => {
    const whole = String(found[0])
    // Groups come first, then where it was found and in what.
    const value = String(found[found.length - 3])
    values.push(value)
    return whole.slice(0, whole.length - value.length)
  })
  return { pattern, values }
}

function refillOf<Made>(one: Sample<Made>, other: Sample<Made>): Refill<Made> | undefined {
  const differences: Difference[] = []
  if (!compare(one.made, other.made, [], differences)) return undefined
  const edits: Edits = new Map()
  const filled = new Set<number>()
  const numbers: number[] = []
  for (const { path, was, is } of differences) {
    // A number stands for its text wherever that is how the language writes it.
    const hole = one.values.findIndex(
      (text, at) => text === String(was) && other.values[at] === String(is),
    )
    if (hole === -1) return undefined
    filled.add(hole)
    if (typeof was === 'number') numbers.push(hole)
    addEdit(edits, path, { hole, isNumber: typeof was === 'number' })
  }
  const isSame = one.values.map((value, at) => value === other.values[at])
  if (isSame.some((same, at) => !same && !filled.has(at))) return undefined
  return (values) => {
    // Where a value went that was the same in both nobody knows.
    if (isSame.some((same, at) => same && values[at] !== one.values[at])) return undefined
    if (numbers.some((hole) => values[hole] !== String(Number(values[hole])))) return undefined
    return edit(one.made, edits, values)
  }
}

type Path = readonly (string | number)[]

interface Difference {
  readonly path: Path
  readonly was: unknown
  readonly is: unknown
}

/** False when they differ in more than in texts and numbers. */
function compare(one: unknown, other: unknown, path: Path, found: Difference[]): boolean {
  if (Object.is(one, other)) return true
  if (isValue(one) && typeof one === typeof other) {
    found.push({ path, was: one, is: other })
    return true
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return (
      one.length === other.length &&
      one.every((each, at) => compare(each, other[at], [...path, at], found))
    )
  }
  if (isCollection(one) && isCollection(other)) return isAlike([...one], [...other])
  if (!isPlain(one) || !isPlain(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => compare(one[name], other[name], [...path, name], found))
  )
}

/** In maps and sets nothing is put. */
function isAlike(one: readonly unknown[], other: readonly unknown[]): boolean {
  const found: Difference[] = []
  return compare(one, other, [], found) && found.length === 0
}

function isValue(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function isCollection(
  value: unknown,
): value is ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> {
  return value instanceof Map || value instanceof Set
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/** Which value is put there, and as what. */
interface Put {
  readonly hole: number
  readonly isNumber: boolean
}

/** By member: what is put there, or deeper. */
interface Edits extends Map<string | number, Put | Edits> {}

function addEdit(edits: Edits, [name, ...rest]: Path, put: Put): void {
  if (name === undefined) return
  if (rest.length === 0) {
    edits.set(name, put)
    return
  }
  const known = edits.get(name)
  const below: Edits = known instanceof Map ? known : new Map()
  edits.set(name, below)
  addEdit(below, rest, put)
}

/** A copy with the values in their places; what has none in it is the same object. */
function edit<T>(of: T, edits: Edits, values: readonly string[]): T {
  const copy: T = Array.isArray(of) ? Object.assign([], of) : { ...of }
  for (const [name, put] of edits) {
    Object.assign(Object(copy), { [name]: edited(Object(of)[name], put, values) })
  }
  return copy
}

function edited(was: unknown, put: Put | Edits, values: readonly string[]): unknown {
  if (put instanceof Map) return edit(was, put, values)
  const text = values[put.hole] ?? ''
  return put.isNumber ? Number(text) : text
}
