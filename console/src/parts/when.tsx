import { Tooltip } from '@mantine/core'

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const STEPS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const
const RECENT_MS = 7 * 86_400_000

interface Props {
  /** ISO 8601 in UTC, as the API sends it. */
  readonly at: string | null | undefined
  /** "3 hours ago" while it is not long ago; otherwise and by default the time itself. */
  readonly relative?: boolean
}

/** A time in the person's own zone; UTC when pointed at. */
export function When({ at, relative = false }: Props) {
  if (!at) return <span>–</span>
  return (
    <Tooltip label={at.replace('T', ' ').replace('Z', ' UTC')}>
      <time dateTime={at}>{relative ? sinceThen(at) : FULL.format(new Date(at))}</time>
    </Tooltip>
  )
}

function sinceThen(at: string): string {
  const ms = Date.parse(at) - Date.now()
  if (Math.abs(ms) > RECENT_MS) return FULL.format(new Date(at))
  const step = STEPS.find((each) => Math.abs(ms) >= each.ms)
  return step ? RELATIVE.format(Math.round(ms / step.ms), step.unit) : 'just now'
}
