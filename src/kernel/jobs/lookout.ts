import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Batch, Cell, Cells } from '../db/ask.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { Random } from '../random.ts'
import { createLoop } from './loop.ts'

interface Deps {
  readonly db: Pick<Database, 'main'>
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  readonly everyMs?: number
}

/**
 * Whether there is something to do, as one value: null when there is not. It is asked often, so an index has to
 * answer it. `nowMs` is the time it is asked about; other values are bound once.
 */
export type Question = (nowMs: Expression<number>) => Expression<unknown>

/**
 * The usual answer to a question: 1 when there is such a row. `by` is the column of the index that answers it: before
 * PostgreSQL has counted a table it would read it from its beginning, in the belief that every third row is due.
 */
export function anyOf<Tables, T extends keyof Tables>(
  rows: SelectQueryBuilder<Tables, T, object>,
  by?: string,
) {
  const ordered = by === undefined ? rows : rows.orderBy(sql.ref(by))
  return ordered.select(sql.lit(1).as('found')).limit(sql.lit(1))
}

interface Watched {
  readonly question: Question
  isDue(answer: Cell): boolean
  wake(): void
}

/** A text to be asked, and its values with places for the time. */
interface Asked {
  readonly batch: Batch
  readonly values: readonly unknown[]
  readonly offsetMs: number
}

/** Answers that hold as long as nobody commits. */
interface Kept {
  readonly asked: Asked
  readonly mark: bigint
  readonly answers: Cells
  readonly fromMs: number
}

/** Console contract §4: what is to be published is so within a second of its time. */
const LOOK_EVERY_MS = 400
/** Answers of now that are those of then, too, are kept until then. */
const AHEAD_MS = 5_000
/** Stands for the time in the values of a statement. */
const NOW = Symbol('now')

/** The pauses of a loop that a lookout wakes; the looks of its own are for what a question cannot know. */
export const SELDOM = { everyMs: 1_000, idleMs: 60_000 } as const

/**
 * Looks for all loops of a thread whether they have something to do: one statement, however many of them there are.
 * So what is found without a notice (its time has come, the notice was lost, another program wrote it) is found as
 * soon as if each loop looked for itself, and a server that has nothing to do does nearly nothing. Where the database
 * says without a statement that nobody has committed (SQLite), it is asked again only when time may have made something due.
 */
export function createLookout({ db, clock, log, random, everyMs = LOOK_EVERY_MS }: Deps) {
  const watched = new Set<Watched>()
  let asked: Asked | undefined
  let kept: Kept | undefined
  const loop = createLoop({ name: 'lookout', everyMs, log, random, run: look })
  return { watch, stop: loop.stop }

  /** For `wake` of a loop: wakes it whenever its question is answered by more than null, or as `isDue` says. */
  function watch(question: Question, isDue: Watched['isDue'] = isAny) {
    return (wake: () => void) => {
      const own = { question, isDue, wake }
      watched.add(own)
      asked = undefined
      return () => {
        watched.delete(own)
        asked = undefined
      }
    }
  }

  async function look(): Promise<void> {
    const all = [...watched]
    if (all.length === 0) return
    if (asked?.offsetMs !== clock.offsetMs()) asked = undefined
    asked ??= compile(all)
    const answers = await answersTo(asked)
    for (const [at, own] of all.entries()) {
      if (watched.has(own) && own.isDue(answers[at] ?? null)) own.wake()
    }
  }

  async function answersTo(own: Asked): Promise<Cells> {
    // Before the statement: whoever commits meanwhile changes it.
    const mark = db.main.mark()
    const fromMs = clock.now()
    if (kept && kept.asked === own && kept.mark === mark && isWithin(kept, fromMs)) {
      return kept.answers
    }
    const times = mark === undefined ? [fromMs] : [fromMs, fromMs + AHEAD_MS]
    const [answers = [], later] = await Promise.all(times.map((nowMs) => ask(own, nowMs)))
    const isSame = later?.every((answer, at) => answer === answers[at])
    kept = mark !== undefined && isSame ? { asked: own, mark, answers, fromMs } : undefined
    return answers
  }

  async function ask({ batch, values }: Asked, nowMs: number): Promise<Cells> {
    const given = values.map((value) => (value === NOW ? nowMs : value))
    const { rows } = await db.main.ask(batch, [given], 'read')
    return rows[0]?.[0] ?? []
  }

  function compile(all: readonly Watched[]): Asked {
    const reader: Kysely<object> = db.main.reader
    const nowMs = sql<number>`${NOW}`
    const columns = all.map(({ question }, at) => sql`(${question(nowMs)})`.as(`answer_${at}`))
    const { sql: text, parameters } = reader.selectNoFrom(columns).compile()
    const batch = { steps: [{ sql: text, fed: [] }] }
    // The database's own time has the offset of the clock among its values.
    return { batch, values: parameters, offsetMs: clock.offsetMs() }
  }
}

function isWithin({ fromMs }: Kept, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < fromMs + AHEAD_MS
}

function isAny(answer: Cell): boolean {
  return answer !== null
}

export type Lookout = ReturnType<typeof createLookout>
