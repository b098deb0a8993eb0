import type { KyselyPlugin } from 'kysely'
import type { Database } from '#kernel'

/** The same database, with a note of the text of every statement. */
export function counted(database: Database, statements: string[]): Database {
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(JSON.stringify(node, withoutValues))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const { main } = database
  return { ...database, main: { ...main, reader: main.reader.withPlugin(plugin) } }
}

function withoutValues(_name: string, part: unknown): unknown {
  const isValue = typeof part === 'object' && part !== null && 'value' in part
  return isValue ? { ...part, value: '?' } : part
}
