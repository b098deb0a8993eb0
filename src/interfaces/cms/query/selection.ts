/** What of an entry, component or file is shown; the store loads what `parts` names. */
export interface Selection {
  /** Null: all scalars and system members. */
  readonly fields: ReadonlySet<string> | null
  /** Populated attributes in the order in which they are shown. */
  readonly parts: ReadonlyMap<string, PartSelection>
}

export interface PartSelection extends Selection {
  /** The piece of a to-many relation that was asked for. */
  readonly start: number
  readonly limit: number
}
