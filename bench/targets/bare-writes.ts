// Fastify with one statement for each request and full sync, nothing else: the yardstick of writes.
//   node bare-writes.ts <port> <file of SQLite or URL of PostgreSQL>
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import pg from 'pg'

type Run = (text: string, values: readonly (string | number)[]) => unknown

const [port = '0', place = ''] = process.argv.slice(2)
const CONNECTIONS = 32
const TABLE =
  'create table articles (id {id}, title text, doc text, views integer, published_at bigint)'
const INSERT = 'insert into articles (title, doc, views) values ($1, $2, $3) returning id'
const run = place.startsWith('postgres') ? await openPostgres() : openSqlite()
const app = Fastify()

interface Article {
  readonly title: string
  readonly views: number
}

app.get('/ready', () => 'ready')
app.post<{ Body: Article }>('/articles', async ({ body }, reply) => {
  reply.code(201)
  return { ...body, ...one(await run(INSERT, valuesOf(body))) }
})
app.post<{ Body: { operations: { data: Article }[] } }>('/articles/bulk', async ({ body }) => {
  const values = body.operations.flatMap(({ data }) => valuesOf(data))
  const rows = body.operations.map((_, at) => `($${3 * at + 1}, $${3 * at + 2}, $${3 * at + 3})`)
  const text = `insert into articles (title, doc, views) values ${rows.join()} returning id`
  return { data: await run(text, values) }
})
app.patch<{ Body: Article; Params: { id: string } }>('/articles/:id', async ({ body, params }) => {
  const text = 'update articles set views = $1 where id = $2 returning id, title, views'
  return one(await run(text, [body.views, Number(params.id)]))
})
app.post<{ Params: { id: string } }>('/articles/:id/publish', async ({ params }) => {
  const text = 'update articles set published_at = $1 where id = $2 returning id'
  return one(await run(text, [Date.now(), Number(params.id)]))
})
app.delete<{ Params: { id: string } }>('/articles/:id', async ({ params }, reply) => {
  await run('delete from articles where id = $1 returning id', [Number(params.id)])
  reply.code(204)
})
await app.listen({ port: Number(port), host: '127.0.0.1' })

function valuesOf(article: Article): (string | number)[] {
  return [article.title, JSON.stringify(article), article.views]
}

function one(rows: unknown): object {
  return (Array.isArray(rows) && rows[0]) || {}
}

function openSqlite(): Run {
  const db = new DatabaseSync(place)
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(TABLE.replace('{id}', 'integer primary key'))
  const known = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (text, values) => {
    const statement = known.get(text) ?? db.prepare(text.replaceAll(/\$\d+/g, '?'))
    known.set(text, statement)
    return statement.all(...values)
  }
}

async function openPostgres(): Promise<Run> {
  const pool = new pg.Pool({ connectionString: place, max: CONNECTIONS })
  await pool.query(`drop table if exists articles`)
  await pool.query(TABLE.replace('{id}', 'bigint generated always as identity primary key'))
  const names = new Map<string, string>()
  return async (text, values) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return (await pool.query({ name, text, values: [...values] })).rows
  }
}
