import { type Kysely, sql, type Transaction } from 'kysely'
import type { Log } from '../log.ts'
import type { Ask } from './ask.ts'
import type { AnyTables, Store, Tx } from './database.ts'

interface Parts {
  readonly reader: Kysely<AnyTables>
  readonly scanner: Kysely<AnyTables>
  readonly writer: Kysely<AnyTables>
  readonly ask: Ask
  readonly log: Log
}

type Work = () => void | Promise<void>

/** Adds transactions that span modules to the three ways of asking a database. */
export function createStore({ reader, scanner, writer, ask, log }: Parts): Store {
  const own = new WeakSet<Tx>()
  let asked = 0
  return { reader, scanner, writer, ask: counted, asked: () => asked, transaction }

  function counted(...[batch, parameters, kind]: Parameters<Ask>) {
    asked += batch.steps.length
    return ask(batch, parameters, kind)
  }

  async function transaction<T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (tx) {
      if (!own.has(tx)) throw new Error('this transaction belongs to another store')
      return work(tx)
    }
    const later: Work[] = []
    const result = await writer.transaction().execute((trx) => {
      const fresh = createTx(trx, later)
      own.add(fresh)
      return work(fresh)
    })
    for (const each of later) await afterwards(each)
    return result
  }

  async function afterwards(work: Work) {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, 'work after a commit failed')
    }
  }
}

function createTx(trx: Transaction<AnyTables>, later: Work[]): Tx {
  let depth = 0
  return { as: <Tables>() => trx as Transaction<Tables>, afterCommit, savepoint }

  function afterCommit(work: Work) {
    later.push(work)
  }

  async function savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = sql.id(`s${++depth}`)
    const before = later.length
    await sql`savepoint ${name}`.execute(trx)
    try {
      const result = await work()
      await sql`release savepoint ${name}`.execute(trx)
      return result
    } catch (error) {
      later.length = before
      await sql`rollback to savepoint ${name}`.execute(trx)
      throw error
    } finally {
      depth--
    }
  }
}
