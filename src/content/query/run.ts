import type { CompiledQuery, Kysely } from 'kysely'
import type { AskKind, Store } from '#db'
import type { ContentTables } from '../tables.ts'
import { type Piece, toStatement } from './fragment.ts'
import type { Asking } from './plan.ts'
import { boundTo, type Values } from './slot.ts'

/** Slower than this, a statement could keep short ones waiting. */
const SLOW_MS = 50
const SHAPES_KEPT = 500

/**
 * Runs statements of queries. Whether a scan is long depends on the data, so it is learnt: a shape
 * that was slow the last time goes to the scanner, which works beside the readers, and others only as long
 * as they are quick.
 */
export function createRunner({ reader, scanner, ask }: Pick<Store, 'reader' | 'scanner' | 'ask'>) {
  const slow = new Set<string>()
  return { run, runPlanned, toText }

  function toText<Row>(piece: Piece<Row>): CompiledQuery<Row> {
    return toStatement(piece).compile(reader)
  }

  /** Statements that were made before, with the values of one query. */
  async function runPlanned(asking: Asking, values: Values) {
    const { batch, mayScan } = asking
    const parameters = asking.parameters.map((own) => own.map((each) => boundTo(each, values)))
    try {
      const result = await ask(batch, parameters, kindOf(asking))
      asking.isSlow = result.tookMs > SLOW_MS
      return result
    } catch (error) {
      // It may have been ended for its length.
      asking.isSlow = mayScan
      throw error
    }
  }

  function kindOf({ mayScan, isSlow }: Asking): AskKind {
    if (!mayScan) return 'read'
    return isSlow ? 'scan' : 'try'
  }

  /** A statement made for once. */
  async function run<Row>(
    statement: Piece<Row>,
    mayScan: boolean,
    values: Values = [],
  ): Promise<readonly Row[]> {
    const compiled = toText(statement)
    const parameters = compiled.parameters.map((each) => boundTo(each, values))
    const bound: CompiledQuery<Row> = { ...compiled, parameters }
    const isSlow = mayScan && slow.has(compiled.sql)
    const connection: Kysely<ContentTables> = isSlow ? scanner : reader
    const startedMs = performance.now()
    try {
      const { rows } = await connection.executeQuery(bound)
      return rows
    } finally {
      if (mayScan) remember(compiled.sql, performance.now() - startedMs > SLOW_MS)
    }
  }

  function remember(shape: string, wasSlow: boolean) {
    slow.delete(shape)
    if (!wasSlow) return
    slow.add(shape)
    const [oldest] = slow
    if (slow.size > SHAPES_KEPT && oldest !== undefined) slow.delete(oldest)
  }
}

export type Runner = Pick<ReturnType<typeof createRunner>, 'run'>
