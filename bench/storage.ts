import { sql } from 'kysely'
import { type AnyTables, type Database, startDatabase } from '#db'
import { createClock } from '#kernel'
import type { Bench } from './kit/bench.ts'

const ROWS = 200_000
const READS = 5_000

const storage: Bench = {
  name: 'storage',
  summary: 'indexed reads on SQLite, alone and beside a writer, a scan and an export',
  async run(context) {
    const started = await startDatabase(
      {
        url: undefined,
        dataDir: context.temporaryDirectory(),
        readers: 2,
        readTimeoutMs: 5_000,
        scanTimeoutMs: 15_000,
      },
      {
        clock: createClock(),
        log: console,
        onThreadFailure: (_name, error) => console.error(error),
      },
    )
    const { database } = started
    await fill(database)
    const alone = await readTimes(database)
    const load = startLoad(database)
    const beside = await readTimes(database)
    await load.stop()
    await started.stop()
    return {
      speeds: [],
      figures: [
        { what: 'indexed read alone, p50', value: percentile(alone, 0.5), unit: 'ms' },
        { what: 'indexed read alone, p99', value: percentile(alone, 0.99), unit: 'ms' },
        { what: 'indexed read under load, p50', value: percentile(beside, 0.5), unit: 'ms' },
        {
          what: 'indexed read under load, p99',
          value: percentile(beside, 0.99),
          unit: 'ms',
          must: { atMost: 20 },
        },
      ],
    }
  },
}
export default storage

async function fill({ main }: Database) {
  await main.writer.schema
    .createTable('rows')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text')
    .execute()
  for (let at = 0; at < ROWS; at += 1_000) {
    const values = Array.from({ length: 1_000 }, (_, i) => ({ id: at + i, name: `name ${at + i}` }))
    await main.writer.insertInto('rows').values(values).execute()
  }
}

async function readTimes({ main }: Database): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < READS; n++) {
    const startedMs = performance.now()
    await main.reader
      .selectFrom('rows')
      .select('name')
      .where('id', '=', (n * 7919) % ROWS)
      .executeTakeFirstOrThrow()
    times.push(performance.now() - startedMs)
  }
  return times.sort((a, b) => a - b)
}

/** A writer, a scan and an export, each again and again until told to stop. */
function startLoad({ main, dialect }: Database) {
  let stopped = false
  let nextId = ROWS
  const again = async (work: () => Promise<unknown>) => {
    while (!stopped) await work()
  }
  const running = [
    again(() =>
      main.transaction(undefined, async (tx) => {
        const values = { id: nextId++, name: 'new' }
        await tx.as<AnyTables>().insertInto('rows').values(values).execute()
      }),
    ),
    again(() =>
      main.scanner
        .selectFrom('rows')
        .select((query) => query.fn.countAll().as('n'))
        .where(dialect.withinDeadline('rows.id'))
        .where(sql<boolean>`name like '%never%'`)
        .execute(),
    ),
    again(async () => {
      for await (const _ of main.reader.selectFrom('rows').selectAll().stream(500));
    }),
  ]
  return {
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
