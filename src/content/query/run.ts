import type { CompiledQuery, Kysely } from 'kysely'
import type { Store, Telling, Told } from '#kernel'
import type { ContentTables } from '../tables.ts'
import { type Piece, toStatement } from './fragment.ts'
import { type Asking, askingAs, type Tellable } from './plan.ts'
import { boundTo, type Values } from './slot.ts'

/** Slower than this, a statement could keep short ones waiting. */
const SLOW_MS = 50
const SHAPES_KEPT = 500
/** So that what cannot be told is not asked twice each time. */
const REST_MS = 1_000

/**
 * Runs statements of queries. Whether a scan is long depends on the data, so it is learnt: a shape
 * that was slow the last time goes to the scanner, which works beside the readers.
 */
export function createRunner({ reader, scanner, ask }: Pick<Store, 'reader' | 'scanner' | 'ask'>) {
  const slow = new Set<string>()
  return { run, runPlanned, runTold, toText }

  function toText<Row>(piece: Piece<Row>): CompiledQuery<Row> {
    return toStatement(piece).compile(reader)
  }

  /** Statements that were made before, with the values of one query. */
  async function runPlanned(asking: Asking, values: Values): Promise<Told> {
    const { batch, mayScan } = asking
    const parameters = asking.parameters.map((own) => own.map((each) => boundTo(each, values)))
    try {
      const told = await ask(batch, parameters, mayScan && asking.isSlow ? 'scan' : 'read')
      asking.isSlow = told.tookMs > SLOW_MS
      return told
    } catch (error) {
      // It may have been ended for its length.
      asking.isSlow = mayScan
      throw error
    }
  }

  /**
   * The same told as text, or as it is where it cannot be told: that may be so of some rows only, and
   * as long as these are as they are.
   */
  async function runTold(
    plan: Tellable,
    text: object,
    toTelling: () => Telling | null,
    values: Values,
  ): Promise<Told> {
    const as = askingAs(plan, text, toTelling)
    if (!as.asking || performance.now() < as.restsUntilMs) return runPlanned(plan.asking, values)
    const told = await runPlanned(as.asking, values)
    if (told.text) return told
    as.restsUntilMs = performance.now() + REST_MS
    return runPlanned(plan.asking, values)
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
    const lane: Kysely<ContentTables> = isSlow ? scanner : reader
    const startedMs = performance.now()
    try {
      const { rows } = await lane.executeQuery(bound)
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
