import type { JsonObject } from '../json.ts'

export type ScheduledAction = 'publish' | 'unpublish'

/** What an entry is to do by itself, and what it could not do. */
export interface Schedule {
  readonly publishAtMs: number | null
  readonly unpublishAtMs: number | null
  /** Of the last time that was not kept; null when there is nothing to complain of. */
  readonly fault: JsonObject | null
}

interface Row {
  readonly publish_at: number | null
  readonly unpublish_at: number | null
  readonly schedule_fault: string | null
}

/** Null for the many entries that have none. */
export function toSchedule({ publish_at, unpublish_at, schedule_fault }: Row): Schedule | null {
  if (publish_at === null && unpublish_at === null && schedule_fault === null) return null
  return {
    publishAtMs: publish_at,
    unpublishAtMs: unpublish_at,
    fault: schedule_fault === null ? null : JSON.parse(schedule_fault),
  }
}

/** The earliest thing that is due, so that a time of both that was missed ends as it should. */
export function dueAction(
  { publish_at, unpublish_at }: Omit<Row, 'schedule_fault'>,
  nowMs: number,
): ScheduledAction | undefined {
  const publishAt = publish_at ?? Number.POSITIVE_INFINITY
  const unpublishAt = unpublish_at ?? Number.POSITIVE_INFINITY
  if (Math.min(publishAt, unpublishAt) > nowMs) return undefined
  return publishAt <= unpublishAt ? 'publish' : 'unpublish'
}
