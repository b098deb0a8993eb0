import type { Snapshot, TableInfo } from '#db-transfer'
import { OperatorError } from '#kernel'
import type { Files } from './files.ts'
import { createByteSum, createRowSum } from './records.ts'

/** Reads both wholly and throws at the first table that is not the same; the number of rows. */
export async function compareTables(
  tables: readonly TableInfo[],
  one: Snapshot,
  other: Snapshot,
  progress: (text: string) => void,
): Promise<number> {
  let rows = 0
  for (const table of tables) {
    const [here, there] = await Promise.all([sumOf(one, table), sumOf(other, table)])
    if (here.rows !== there.rows || here.sum !== there.sum) {
      throw new OperatorError(
        `${table.name} is not the same there: ${here.rows} rows here, ${there.rows} there. Give the move up with "entrepot move --cancel", and begin again with an empty database.`,
      )
    }
    rows += here.rows
    progress(`compared ${table.name}: ${rows} rows in all`)
  }
  return rows
}

async function sumOf(snapshot: Snapshot, table: TableInfo) {
  const sum = createRowSum()
  for await (const page of snapshot.pages(table)) sum.add(page)
  return sum.result()
}

type Read = () => AsyncIterable<Uint8Array>

/** The number of files. */
export async function compareFiles(one: Files, other: Files): Promise<number> {
  const there = new Map<string, Read>()
  for await (const { path, read } of other.listKept()) there.set(path, read)
  let count = 0
  for await (const { path, read } of one.list()) {
    count++
    const [own, others] = await Promise.all([sumOfFile(read), sumOfFile(there.get(path))])
    if (own !== others) throw new OperatorError(`The file ${path} is not the same there.`)
  }
  return count
}

async function sumOfFile(read: Read | undefined): Promise<string | undefined> {
  if (!read) return undefined
  const sum = createByteSum()
  for await (const chunk of read()) sum.add(chunk)
  return sum.result().sum
}
