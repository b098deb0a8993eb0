import type { Kysely } from 'kysely'
import type { Store } from '#kernel'
import type { ContentTables } from '../tables.ts'
import { type Piece, toStatement } from './fragment.ts'

/** Slower than this, a statement could keep short ones waiting. */
const SLOW_MS = 50
const SHAPES_KEPT = 500

/**
 * Runs statements of queries. Whether a scan is long depends on the data, so it is learnt: a shape
 * that was slow the last time goes to the scanner, which works beside the readers.
 */
export function createRunner({ reader, scanner }: Pick<Store, 'reader' | 'scanner'>) {
  const slow = new Set<string>()
  return { run }

  async function run<Row>(statement: Piece<Row>, mayScan: boolean): Promise<readonly Row[]> {
    const compiled = toStatement(statement).compile(reader)
    const isSlow = mayScan && slow.has(compiled.sql)
    const lane: Kysely<ContentTables> = isSlow ? scanner : reader
    const startedMs = performance.now()
    try {
      const { rows } = await lane.executeQuery(compiled)
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

export type Runner = ReturnType<typeof createRunner>
