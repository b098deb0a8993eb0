// The shape of a write that travels as one unit (docs/decisions/0057). Plain data: it is cloned into a thread.
import type { Cell, Cells } from '#db'

/** Prepared once per connection and known by its name; parameters are `$1`, `$2`, … in order. */
export interface Statement {
  readonly name: string
  readonly sqlite: string
  readonly postgres: string
}

/** For both databases, where the text is the same but for the marks of its parameters. */
export function statement(name: string, text: string, postgres = text): Statement {
  return { name, sqlite: text.replaceAll(/\$(?=\d)/g, '?'), postgres }
}

/** What only the writer knows: a number it takes, or the free name it finds. */
export type Later = { readonly number: number } | { readonly name: number }
/** A text with such values in it: a document that shows a name, the payload of an event. */
export interface Parts {
  readonly parts: readonly (string | Later)[]
}
export type Value = Cell | Later | Parts

export interface WritePlan {
  /** What the plan was made from. When one does not hold any more, nothing is done and it is made again. */
  readonly guards: readonly Guard[]
  readonly numbers: readonly Numbers[]
  readonly names: readonly FreeName[]
  readonly steps: readonly Step[]
  readonly events: readonly PlannedEvent[]
  /** Types whose answers change. */
  readonly touches: readonly number[]
  /** The rows that a page of the written entries would show, in the layout of its rows. */
  readonly rows: readonly (readonly Value[])[]
}

/** The first cell of the first row, null when there is none, must be this. */
interface Guard {
  readonly statement: Statement
  readonly values: Cells
  readonly is: Cell
}

/** So many numbers of a sequence, whose name in `Later` goes on where the one before ends. */
export interface Numbers {
  readonly count: number
  /** Of the count: the last number on SQLite, where no other takes one meanwhile; all of them on PostgreSQL. */
  readonly take: Statement
}

/** `base`, or `base-2`, `base-3`, … behind the highest that is taken. */
export interface FreeName {
  readonly base: string
  /** Of the base: the highest suffix taken, 1 for the base itself, null when it is free. */
  readonly highest: Statement
}

interface Step {
  readonly statement: Statement
  readonly values: readonly Value[]
  /** Counters are increments in SQL, so only the database knows what they come to. */
  readonly returns?: true
}

export interface PlannedEvent {
  readonly id: string
  readonly type: string
  readonly payload: Parts
  readonly atMs: number
}

/** What a plan's values became. */
export interface Resolved {
  readonly numbers: readonly number[]
  readonly names: readonly string[]
}

export type Outcome =
  | (Resolved & { readonly kind: 'done'; readonly returned: readonly (readonly Cells[])[] })
  /** A guard did not hold, or somebody else took a name. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly message: string }

/** One database: carries plans out, whole or not at all, and says so when they are durable. */
export interface Carrier {
  carry(plan: WritePlan): Promise<Outcome>
  /** Until the work ends nobody else's plan of this kind is carried out, so no guard can fail. */
  alone<T>(work: (carry: Carrier['carry']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function resolveValue(value: Value, resolved: Resolved): Cell {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if ('parts' in value) {
    return value.parts
      .map((part) => (typeof part === 'string' ? part : later(part, resolved)))
      .join('')
  }
  return later(value, resolved)
}

function later(value: Later, { numbers, names }: Resolved): number | string {
  const found = 'number' in value ? numbers[value.number] : names[value.name]
  if (found === undefined) throw new Error('a plan names a value that it does not ask for')
  return found
}

/** From the highest suffixes taken; what an earlier name of the plan takes is taken too. */
export function freeNames(names: readonly FreeName[], highest: readonly Cell[]): string[] {
  const last = new Map<string, number>()
  return names.map(({ base }, at) => {
    const suffix = (last.get(base) ?? Number(highest[at] ?? 0)) + 1
    last.set(base, suffix)
    return nameOf(base, suffix)
  })
}

export function nameOf(base: string, suffix: number): string {
  return suffix === 1 ? base : `${base}-${suffix}`
}

/** A guard that does not hold, and what others were quicker with. */
export class Stale extends Error {}
