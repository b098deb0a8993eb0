import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestServer } from './server.ts'

/** Statements beside a running server, in its own database; resolves to the rows of the last. */
export async function runBeside(
  { env }: Pick<TestServer, 'env'>,
  ...statements: readonly string[]
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const url = env['ENTREPOT_DATABASE_URL']
  if (url === undefined) {
    const file = new DatabaseSync(join(env['ENTREPOT_DATA_DIR'] ?? '', 'entrepot.db'))
    try {
      file.exec('pragma busy_timeout = 5000')
      return statements.map((statement) => file.prepare(statement).all()).at(-1) ?? []
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
