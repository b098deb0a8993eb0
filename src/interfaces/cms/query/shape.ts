/** What of an entry, component or file is shown; the store loads what `parts` names. */
export interface Shape {
  /** Null: all scalars and system members. */
  readonly fields: ReadonlySet<string> | null
  /** Populated attributes in the order in which they are shown. */
  readonly parts: ReadonlyMap<string, PartShape>
}

export interface PartShape extends Shape {
  /** The piece of a to-many relation that was asked for. */
  readonly start: number
  readonly limit: number
}

/** Everything of a shape that decides about the text of an entry; of a relation not which piece. */
export function keyOfShape(shape: Shape): string {
  return JSON.stringify(membersOf(shape))
}

function membersOf({ fields, parts }: Shape): unknown {
  return [fields && [...fields], [...parts].map(([name, part]) => [name, membersOf(part)])]
}
