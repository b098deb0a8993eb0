import type { Kysely } from 'kysely'
import type { Database } from '#db'
import type { ContentTables } from '../tables.ts'
import { conversionsOf } from './alter.ts'
import { type Conversion, fillNext, markerOf } from './convert-store.ts'
import { addColumns, addMarker } from './ddl.ts'
import type { Design, DesignedType } from './design.ts'
import { differences } from './differences.ts'

/**
 * Converts values into their new columns before the change itself, in steps that hold up nobody.
 * Returns the numbers of the attributes whose columns are there.
 */
export async function prepareConversions(db: Database, design: Design): Promise<Set<number>> {
  const prepared = new Set<number>()
  for (const type of design.types) {
    const conversions = type.before ? conversionsOf(differences(type)) : []
    if (conversions.length === 0) continue
    await prepareType(db, type, conversions)
    for (const { to } of conversions) prepared.add(to.no)
  }
  return prepared
}

async function prepareType(
  { main, dialect }: Database,
  { before }: DesignedType,
  conversions: readonly Conversion[],
) {
  const table = `content_v${before?.no ?? 0}` as const
  await main.transaction(undefined, async (tx) => {
    const trx = tx.as<ContentTables>()
    const added = conversions.map(({ to }) => to)
    await addColumns(trx, dialect, table, added)
    await addMarker(trx, dialect, table, markerOf(conversions))
  })
  const reader: Kysely<ContentTables> = main.reader
  const writer: Kysely<ContentTables> = main.writer
  let last: number | null = 0
  while (last !== null) {
    const filled = await fillNext({ reader, writer }, { dialect, table, conversions }, last)
    last = filled.last
  }
}
