/** Whether there is something to do, for the lookout of the worker; each condition is that of an index. */
import { type Expression, type Kysely, sql } from 'kysely'
import { anyOf, type Question } from '#jobs'
import type { WebhooksTables } from '../tables.ts'
import { QUICK, SLOW } from './lanes.ts'

interface Deps {
  readonly db: Kysely<WebhooksTables>
  /** Lanes that nobody alive holds. */
  isFree(): Expression<boolean>
  /** The last event that has a number. */
  lastSeq(): Expression<number | null>
}

export function createWorkQuestions({ db, isFree, lastSeq }: Deps) {
  const dispatch: Question = () =>
    anyOf(
      db
        .selectFrom('webhooks_cursor')
        .where('name', '=', sql.lit('dispatch'))
        .where('seq', '<', lastSeq()),
    )

  const claim: Question = (nowMs) => {
    const due = db.selectFrom('webhooks_lanes').where('due_at', '<=', nowMs).where(isFree())
    return sql`coalesce(${anyOf(due.where(QUICK), 'due_at')}, ${anyOf(due.where(SLOW), 'due_at')})`
  }

  const unhold: Question = (nowMs) =>
    anyOf(db.selectFrom('webhooks_lanes').where('release_at', '<=', nowMs), 'release_at')

  const resume: Question = (nowMs) =>
    anyOf(db.selectFrom('webhooks_lanes').where('resume_at', '<=', nowMs), 'resume_at')

  const replay: Question = () =>
    anyOf(db.selectFrom('webhooks_replays').where('status', '=', sql.lit('running')))

  const probe: Question = () =>
    anyOf(db.selectFrom('webhooks_subscriptions').where('probe_wanted', '=', sql.lit(1)))

  const mail: Question = (nowMs) =>
    anyOf(
      db.selectFrom('webhooks_notifications').where('email_due_at', '<=', nowMs),
      'email_due_at',
    )

  return { dispatch, claim, unhold, resume, replay, probe, mail }
}
