import type { KyselyPlugin, QueryId } from 'kysely'
import type { Ask, Database } from '#db'

/** The same database, with a note of the text of every statement. */
export function counted(database: Database, statements: string[]): Database {
  const texts = new WeakMap<QueryId, string>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      texts.set(queryId, JSON.stringify(node, withoutValues))
      return node
    },
    // A statement may be compiled without being run.
    async transformResult({ result, queryId }) {
      statements.push(texts.get(queryId) ?? '')
      return result
    },
  }
  const { main } = database
  const ask: Ask = (batch, ...more) => {
    statements.push(...batch.steps.map((step) => step.sql))
    return main.ask(batch, ...more)
  }
  return { ...database, main: { ...main, ask, reader: main.reader.withPlugin(plugin) } }
}

function withoutValues(_name: string, part: unknown): unknown {
  const isValue = typeof part === 'object' && part !== null && 'value' in part
  return isValue ? { ...part, value: '?' } : part
}
