import pg, { type Client, type Connection } from 'pg'
import { sendBind, type Wire } from './postgres-bind.ts'

export interface Statement {
  readonly text: string
  /** The connection knows it by this; undefined: it is told the text. */
  readonly name: string | undefined
  readonly values: readonly unknown[]
  /** Its rows are wanted. */
  readonly returns: boolean
}

export type Row = Readonly<Record<string, unknown>>

/** The statement that failed is the one behind those that were done; all may be done, and the commit fail. */
export type Pipelined =
  | { readonly rows: readonly (readonly Row[])[] }
  | { readonly error: unknown; readonly done: number }

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** What pg itself makes of a value on its way to the server. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Wire } }).utils

/**
 * Statements as one transaction and one write to the socket: whatever stands before a Sync of the extended protocol is
 * carried out together or not at all, so there is neither BEGIN nor COMMIT. One that fails stops those behind it.
 */
export function sendPipeline(client: Client, statements: readonly Statement[]): Promise<Pipelined> {
  return new Promise((resolve) => {
    client.query(new PipelineQuery(client, statements, resolve))
  })
}

/** A client that pipelines takes no other queries than these. */
class PipelineQuery extends pg.Query {
  readonly #client: Client
  readonly #statements: readonly Statement[]
  readonly #values: Wire[][]
  readonly #end: (result: Pipelined) => void
  readonly #rows: Row[][] = []
  #fields: readonly Field[] = []
  #done = 0

  constructor(client: Client, statements: readonly Statement[], end: (result: Pipelined) => void) {
    super({ text: '' })
    this.#client = client
    this.#statements = statements
    this.#end = end
    // A value that cannot be sent is found before anything is.
    this.#values = statements.map(({ values }) => values.map(prepareValue))
    this.submit = (connection) => this.#submit(connection)
  }

  #submit(connection: Connection): void {
    connection.stream.cork()
    try {
      for (const [at, { text, name, returns }] of this.#statements.entries()) {
        if (name === undefined) connection.parse({ name: '', text, types: [] }, true)
        sendBind(connection, name ?? '', this.#values[at] ?? [])
        if (returns) connection.describe({ type: 'P', name: '' }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields
    this.#rows.push([])
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (!this.#statements[this.#done]?.returns) return
    const row: Record<string, unknown> = {}
    for (const [at, { name, dataTypeID }] of this.#fields.entries()) {
      const text = fields[at] ?? null
      row[name] = text === null ? null : this.#client.getTypeParser(dataTypeID, 'text')(text)
    }
    this.#rows.at(-1)?.push(row)
  }

  handleCommandComplete(): void {
    this.#done++
  }

  handleEmptyQuery(): void {
    this.#done++
  }

  handleError(error: unknown): void {
    this.#end({ error, done: this.#done })
  }

  handleReadyForQuery(): void {
    this.#end({ rows: this.#rows })
  }
}
