import type { Bus } from '#bus'
import { DomainError, type Log } from '#kernel'
import { createScheduled } from '../entries/scheduled.ts'
import type { WritingDeps } from '../entries/writing.ts'
import { createFreshness } from '../freshness.ts'
import type { DueEntry } from './due.ts'

interface Deps extends Omit<WritingDeps, 'touch'> {
  readonly bus: Bus
  readonly log: Log
}

/** Does what is due, one entry after the other: one that cannot be published keeps nobody waiting. */
export function createScheduleRun(deps: Deps) {
  const { bus, db, log, model } = deps
  const freshness = createFreshness({ bus, isSingleProcess: db.dialect.singleProcess })
  const scheduled = createScheduled({ ...deps, touch: freshness.touch })
  return { run, close: freshness.close }

  async function run(due: readonly DueEntry[], signal: AbortSignal): Promise<void> {
    for (const { type_no, id } of due) {
      const type = model().typeByNo(type_no)
      if (signal.aborted) return
      if (!type) continue
      const about = { contentType: type.singularName, id }
      try {
        const action = await scheduled.perform(type, id)
        if (action)
          log.info({ ...about, action }, 'an entry was published or unpublished by its time')
      } catch (error) {
        if (!isRefusal(error)) {
          log.warn({ err: error, ...about }, 'a scheduled publication failed; it is tried again')
        } else if (error.kind !== 'not_found' && (await scheduled.fail(type, id, error))) {
          log.warn(
            { ...about, reason: error.message },
            'an entry could not be published by its time',
          )
        }
      }
    }
  }
}

export type ScheduleRun = ReturnType<typeof createScheduleRun>

/** The entry itself is in the way, as opposed to what passes. */
function isRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'internal'
}
