import type { Fed, RowsWith } from '#db'

/** What a look at a value may answer: little enough to tell plans apart by it. */
export type Outcome = string | number | boolean | null | undefined

/** The values of one question. */
export type Values = readonly (string | number | readonly string[])[]

/** Answers and notes a look at values while a template is read. */
export type Looking = <Seen extends Outcome>(see: (values: Values) => Seen) => Seen

/**
 * Stands for a value that is known when a question is asked. Whoever reads, resolves or compiles a
 * template sees slots only: what is made of a value is said with `map`, and what must be known of it to
 * go on is asked with `look`. The plan serves every question whose values look the same.
 */
export class Slot<Value = unknown> {
  readonly #read: (values: Values) => Value
  readonly #looking: Looking | null

  constructor(read: (values: Values) => Value, looking: Looking | null = null) {
    this.#read = read
    this.#looking = looking
  }

  /** The value among those of one question. */
  of(values: Values): Value {
    return this.#read(values)
  }

  map<Made>(turn: (value: Value) => Made): Slot<Made> {
    return new Slot((values) => turn(this.#read(values)), this.#looking)
  }

  /** Made of this value and another. */
  with<Other, Made>(other: Slot<Other>, turn: (value: Value, other: Other) => Made): Slot<Made> {
    const looking = this.#looking ?? other.#looking
    return new Slot((values) => turn(this.#read(values), other.#read(values)), looking)
  }

  /** What decides about the plan, which is found only for values of which `see` says the same. */
  look<Seen extends Outcome>(see: (value: Value) => Seen): Seen {
    const seen = (values: Values) => see(this.#read(values))
    return this.#looking ? this.#looking(seen) : seen([])
  }

  /** Several values as one list. */
  static list<Value>(slots: readonly Slot<Value>[]): Slot<readonly Value[]> {
    const looking = slots.map((slot) => slot.#looking).find((own) => own !== null) ?? null
    return new Slot((values) => slots.map((slot) => slot.#read(values)), looking)
  }

  /** What holds slots anywhere inside it, with their values in place of them. */
  static within(holding: unknown): Slot {
    const looking = slotsIn(holding)
      .map((slot) => slot.#looking)
      .find((own) => own !== null)
    return new Slot((values) => filled(holding, values), looking ?? null)
  }

  /** The same, made once for each question: others may be asked between its looks, its bindings and its answer. */
  once(): Slot<Value> {
    const made = new WeakMap<Values, { readonly value: Value }>()
    return new Slot((values) => {
      const own = made.get(values) ?? { value: this.#read(values) }
      made.set(values, own)
      return own.value
    }, this.#looking)
  }

  /** Templates are compared as JSON, in which all values would look like one. */
  toJSON(): never {
    throw new Error('a slot is no part of a template')
  }
}

/** A value as it is, or one that is known when the question is asked. */
export type Operand<Value> = Value | Slot<Value>

export function toSlot<Value>(operand: Operand<Value>): Slot<Value> {
  return operand instanceof Slot ? operand : new Slot(() => operand)
}

function slotsIn(holding: unknown): readonly Slot[] {
  if (holding instanceof Slot) return [holding]
  if (typeof holding !== 'object' || holding === null) return []
  return Object.values(holding).flatMap(slotsIn)
}

function filled(holding: unknown, values: Values): unknown {
  if (holding instanceof Slot) return holding.of(values)
  if (Array.isArray(holding)) return holding.map((each) => filled(each, values))
  if (typeof holding !== 'object' || holding === null) return holding
  return Object.fromEntries(
    Object.entries(holding).map(([name, inner]) => [name, filled(inner, values)]),
  )
}

/** The text of a parameter where all of it decides. */
export function textOf(operand: Operand<string>): string {
  return operand instanceof Slot ? operand.look((text) => text) : operand
}

/** Which rows of a step count. */
interface Counting {
  /** So many, from the first. */
  readonly first?: Slot
  readonly only?: RowsWith
}

/** Stands for the list of what a column of an earlier step holds, in all rows unless said otherwise. */
export class StepList {
  readonly step: number
  readonly column: number
  readonly first: Slot | undefined
  readonly only: RowsWith | undefined

  constructor(step: number, column: number, { first, only }: Counting = {}) {
    this.step = step
    this.column = column
    this.first = first
    this.only = only
  }

  /** As it is told to the database, for one parameter of a step. */
  fed(parameter: number): Fed {
    const { step, column, only } = this
    return { parameter, step, column, ...(only && { only }) }
  }
}

/** What is bound for a parameter of a compiled statement. */
export function boundTo(parameter: unknown, values: Values): unknown {
  if (parameter instanceof Slot) return parameter.of(values)
  if (parameter instanceof StepList) return parameter.first?.of(values) ?? null
  return parameter
}
