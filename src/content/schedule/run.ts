import type { Bus } from '#bus'
import { DomainError, type Log } from '#kernel'
import { createScheduled } from '../entries/scheduled.ts'
import type { WritingDeps } from '../entries/writing.ts'
import { createFreshness } from '../freshness.ts'
import type { ContentType } from '../model.ts'
import type { DueEntry } from './due.ts'

interface Deps extends Omit<WritingDeps, 'touch'> {
  readonly bus: Bus
  readonly log: Log
}

/** So many are planned at the same time and share a commit, in the 20 ms that others may wait (DESIGN §4). */
const AT_ONCE = 50

/** Does what is due: one that cannot be published keeps nobody waiting. */
export function createScheduleRun(deps: Deps) {
  const { bus, db, log, model } = deps
  const freshness = createFreshness({ bus, isSingleProcess: db.dialect.singleProcess })
  const scheduled = createScheduled({ ...deps, touch: freshness.touch })
  return { run, close: freshness.close }

  /** Answers how many of them are done with. */
  async function run(due: readonly DueEntry[], signal: AbortSignal): Promise<number> {
    let done = 0
    for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE) {
      const ends = await Promise.all(due.slice(at, at + AT_ONCE).map(keep))
      done += ends.filter(Boolean).length
    }
    return done
  }

  /** False: it is tried again. */
  async function keep({ type_no, id }: DueEntry): Promise<boolean> {
    const type = model().typeByNo(type_no)
    if (!type) return false
    const about = { contentType: type.singularName, id }
    try {
      const action = await scheduled.perform(type, id)
      if (action)
        log.info({ ...about, action }, 'an entry was published or unpublished by its time')
      return true
    } catch (error) {
      return refuse(type, id, error).catch((err) => {
        log.warn({ err, ...about }, 'a scheduled publication failed; it is tried again')
        return false
      })
    }
  }

  async function refuse(type: ContentType, id: number, error: unknown): Promise<boolean> {
    if (!isRefusal(error)) throw error
    if (error.kind !== 'not_found' && (await scheduled.fail(type, id, error))) {
      const about = { contentType: type.singularName, id, reason: error.message }
      log.warn(about, 'an entry could not be published by its time')
    }
    return true
  }
}

export type ScheduleRun = ReturnType<typeof createScheduleRun>

/** The entry itself is in the way, as opposed to what passes. */
function isRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'internal'
}
