import { DIALECTS, type Dialect, KEYED, KINDS, type Kind } from './questions.ts'

/** `repeated`: the same question each time. */
export type Mode = 'first' | 'written' | 'repeated'
export type Asker = 'anonymous' | 'key' | 'proxy'

/** Rows that show the same bytes, measured one after the other beside these bytes alone. */
export interface Group {
  readonly name: string
  readonly dialect: Dialect
  readonly kind: Kind
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly dialect: Dialect
  readonly kind: Kind
  readonly mode: Mode
  readonly asker: Asker
  /** A search has an index, but no figure yet that shows it reaching what the others must: shown, not counted. */
  readonly counts: boolean
}

export const WRITES_PER_SECOND = 20
export const ASKERS: readonly Asker[] = ['anonymous', 'key', 'proxy']
export const MODES: readonly Mode[] = ['first', 'written', 'repeated']
const TITLES: Readonly<Record<Mode, string>> = {
  first: '',
  written: `, ${WRITES_PER_SECOND} writes/s`,
  repeated: ', repeated',
}

/** The groups that have rows of such names, without their other rows. */
export function chooseGroups(pattern: RegExp | null): readonly Group[] {
  const groups = DIALECTS.flatMap((dialect) =>
    KINDS.map((kind) => ({
      name: `${dialect}, ${kind}`,
      dialect,
      kind,
      rows: rowsOf(dialect, kind),
    })),
  )
  const chosen = groups
    .map((group) => ({
      ...group,
      rows: group.rows.filter(({ name }) => pattern?.test(name) ?? true),
    }))
    .filter(({ rows }) => rows.length > 0)
  if (chosen.length === 0) throw new Error(`no row is called ${pattern?.source}`)
  return chosen
}

function rowsOf(dialect: Dialect, kind: Kind): Row[] {
  const askers = ASKERS.filter((asker) => !KEYED.has(dialect) || asker !== 'anonymous')
  const modes = MODES.filter((mode) => mode !== 'repeated' || kind === 'list with relation')
  return modes.flatMap((mode) =>
    askers.map((asker) => ({
      name: `${dialect}, ${kind}${TITLES[mode]}, ${asker}`,
      ...{ dialect, kind, mode, asker, counts: kind !== 'text search' },
    })),
  )
}
