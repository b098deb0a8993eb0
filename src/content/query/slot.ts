import type { Fed, RowsWith } from '#kernel'

/**
 * Stands in a statement for a value that is known when it is run. The compiler sees slots only, so
 * what it makes cannot depend on a value: it serves every query of the same shape.
 */
export class Slot {
  readonly #read: (values: readonly unknown[]) => unknown

  constructor(read: (values: readonly unknown[]) => unknown) {
    this.#read = read
  }

  /** The value among those of one query. */
  of(values: readonly unknown[]): unknown {
    return this.#read(values)
  }

  map(turn: (value: unknown) => unknown): Slot {
    return new Slot((values) => turn(this.#read(values)))
  }
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
export function boundTo(parameter: unknown, values: readonly unknown[]): unknown {
  if (parameter instanceof Slot) return parameter.of(values)
  if (parameter instanceof StepList) return parameter.first?.of(values) ?? null
  return parameter
}
