import { type Expression, sql as kysely, type RawBuilder } from 'kysely'

/** Any piece of a statement: one of ours or one a dialect made. */
export type Sql = Expression<unknown>

/**
 * A piece of SQL with its bound values, flat: pieces inside it are copied when it is made, so that a
 * statement of hundreds of them reaches Kysely as one text with gaps. Nested builders would cost
 * several times as much as the query itself.
 */
export interface Piece<Row = unknown> extends Expression<Row> {
  /** One more than there are gaps. */
  readonly texts: readonly string[]
  readonly gaps: readonly unknown[]
}

/** As Kysely's `sql`, for names and numbers of the program and values of the caller. */
export function sql<Row = unknown>(
  texts: TemplateStringsArray,
  ...values: readonly unknown[]
): Piece<Row> {
  const building: Building = { texts: [texts[0] ?? ''], gaps: [] }
  values.forEach((value, at) => {
    append(building, value)
    appendText(building, texts[at + 1] ?? '')
  })
  return toPiece<Row>(building)
}

/** Names come from the program or the model, never from callers. */
sql.ref = (name: string): Piece => text(`"${name.replace('.', '"."')}"`)
sql.table = (name: string): Piece => text(`"${name}"`)
sql.lit = (value: string | number): Piece =>
  text(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)
sql.val = (value: unknown): Piece => toPiece({ texts: ['', ''], gaps: [value] })

sql.join = (pieces: readonly unknown[], separator: Sql = COMMA): Piece => {
  const building: Building = { texts: [''], gaps: [] }
  pieces.forEach((piece, at) => {
    if (at > 0) append(building, separator)
    append(building, piece)
  })
  return toPiece(building)
}

/** The statement for Kysely. */
export function toStatement<Row>({ texts, gaps }: Piece<Row>): RawBuilder<Row> {
  return kysely<Row>(Object.assign([...texts], { raw: texts }), ...gaps)
}

interface Building {
  readonly texts: string[]
  readonly gaps: unknown[]
}

function append(building: Building, value: unknown): void {
  if (!isPiece(value)) {
    building.gaps.push(value)
    building.texts.push('')
    return
  }
  appendText(building, value.texts[0] ?? '')
  building.gaps.push(...value.gaps)
  for (let at = 1; at < value.texts.length; at++) building.texts.push(value.texts[at] ?? '')
}

function appendText({ texts }: Building, more: string): void {
  texts[texts.length - 1] += more
}

function text(content: string): Piece {
  return toPiece({ texts: [content], gaps: [] })
}

const COMMA = text(', ')

function toPiece<Row>({ texts, gaps }: Building): Piece<Row> {
  const made: Piece<Row> = {
    texts,
    gaps,
    expressionType: undefined,
    toOperationNode: () => toStatement(made).toOperationNode(),
  }
  return made
}

function isPiece(value: unknown): value is Piece {
  return typeof value === 'object' && value !== null && 'gaps' in value && 'texts' in value
}
