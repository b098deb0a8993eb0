import type { CompiledQuery, Kysely } from 'kysely'
import type { AskKind, Store } from '#db'
import type { ContentTables } from '../tables.ts'
import type { Viewer } from '../viewer.ts'
import { type Piece, toStatement } from './fragment.ts'
import type { Asking } from './plan.ts'
import { boundTo, type Values } from './slot.ts'

type Asker = Viewer['asker']

/** Slower than this, a statement could keep short ones waiting. */
const SLOW_MS = 50
const SHAPES_KEPT = 500

/**
 * Runs statements of queries. Whether a scan is long depends on the data, so it is learnt: a shape
 * that was slow the last time goes to the scanner, which works beside the readers, and others only as long
 * as they are quick. Whatever may scan waits for its turn among those who ask.
 */
export function createRunner({
  reader,
  scanner,
  ask,
  inTurn,
}: Pick<Store, 'reader' | 'scanner' | 'ask' | 'inTurn'>) {
  const slow = new Set<string>()
  return { run, runPlanned, toText }

  function toText<Row>(piece: Piece<Row>): CompiledQuery<Row> {
    return toStatement(piece).compile(reader)
  }

  /** Statements that were made before, with the values of one query. */
  function runPlanned(asking: Asking, values: Values, asker: Asker): ReturnType<Store['ask']> {
    const kind = kindOf(asking)
    const work = () => askPlanned(asking, values, kind)
    return kind === 'read' ? work() : inTurn(kind, asker?.() ?? '', work)
  }

  async function askPlanned(
    asking: Asking,
    values: Values,
    kind: AskKind,
  ): ReturnType<Store['ask']> {
    const { batch, mayScan } = asking
    const parameters = asking.parameters.map((own) => own.map((each) => boundTo(each, values)))
    try {
      const result = await ask(batch, parameters, kind)
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
    { values = [], asker }: { readonly values?: Values; readonly asker?: Asker } = {},
  ): Promise<readonly Row[]> {
    const compiled = toText(statement)
    const parameters = compiled.parameters.map((each) => boundTo(each, values))
    const bound: CompiledQuery<Row> = { ...compiled, parameters }
    if (!mayScan) return (await reader.executeQuery(bound)).rows
    const kind = slow.has(compiled.sql) ? 'scan' : 'try'
    return inTurn(kind, asker?.() ?? '', () => timed(bound, kind === 'scan' ? scanner : reader))
  }

  async function timed<Row>(bound: CompiledQuery<Row>, connection: Kysely<ContentTables>) {
    const startedMs = performance.now()
    try {
      return (await connection.executeQuery(bound)).rows
    } finally {
      remember(bound.sql, performance.now() - startedMs > SLOW_MS)
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
