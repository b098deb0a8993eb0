import { Cron } from 'croner'

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
  readonly special?: RegExp
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')
const DAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ')

const FIELDS: readonly Field[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31, special: /^L$/i },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  {
    name: 'day of the week',
    min: 0,
    max: 7,
    names: DAYS,
    special: /^(?:[0-7]|[A-Z]{3})(?:L|#[1-5])$/i,
  },
]

const SHORTHANDS = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])

export interface CronProblem {
  readonly rule: 'format' | 'range'
  /** The field of the expression that `message` speaks of; absent: the whole. */
  readonly subject?: string
  readonly message: string
}

/** What is wrong with a schedule, or null. */
export function checkCron(text: string): CronProblem | null {
  const parts = partsOf(text)
  if (text.trim().startsWith('@') && parts.length === 1) {
    return wrong(`must be one of ${[...SHORTHANDS.keys()].join(', ')} or five fields`)
  }
  if (parts.length !== 5 && parts.length !== 6) {
    return wrong('must have five fields (minute hour day month weekday), or six with seconds first')
  }
  const fields = FIELDS.slice(6 - parts.length)
  for (const [index, field] of fields.entries()) {
    const problem = checkField(parts[index] ?? '', field)
    if (problem) return problem
  }
  try {
    createCron(text, 'UTC')
    return null
  } catch {
    return wrong('is not a cron expression')
  }
}

function checkField(text: string, field: Field): CronProblem | null {
  for (const item of text.split(',')) {
    const problem = checkItem(item, field)
    if (problem) return problem
  }
  return null
}

function checkItem(item: string, field: Field): CronProblem | null {
  const { name, min, max, special } = field
  if (special?.test(item)) return null
  const [range = '', step, ...more] = item.split('/')
  if (more.length > 0) return wrong(`has more than one / in its ${name}`)
  if (step !== undefined && (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > max)) {
    return { rule: 'range', subject: name, message: `step must be 1-${max}` }
  }
  if (range === '*') return null
  if (step !== undefined && !range.includes('-')) {
    return wrong(`has a step without * or a range in its ${name}`)
  }
  const bounds = range.split('-')
  if (bounds.length > 2) return wrong(`is not understood in its ${name}`)
  const numbers = bounds.map((bound) => numberOf(bound, field))
  if (numbers.some((number) => number === undefined)) {
    return wrong(`is not understood in its ${name}: ${item.slice(0, 20)}`)
  }
  if (numbers.some((number = 0) => number < min || number > max)) {
    return { rule: 'range', subject: name, message: `must be ${min}-${max}` }
  }
  const [from = 0, to = from] = numbers
  return from > to ? { rule: 'range', subject: name, message: 'range runs backwards' } : null
}

function numberOf(text: string, { names, min }: Field): number | undefined {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  const index = names?.indexOf(text.toUpperCase()) ?? -1
  return index < 0 ? undefined : index + min
}

function wrong(message: string): CronProblem {
  return { rule: 'format', message }
}

function partsOf(text: string): string[] {
  const whole = text.trim()
  return (SHORTHANDS.get(whole.toLowerCase()) ?? whole).split(/\s+/)
}

/**
 * The first tick after the given moment, null when none ever comes (scrapers contract §8). The schedule is read by
 * the clock on the wall: a time that daylight saving skips is the first moment after the gap, and one that it
 * repeats comes once, also where a schedule names no hours.
 */
export function nextTick(text: string, timezone: string, moment: number): number | null {
  // Times of files have parts of milliseconds.
  const afterMs = Math.floor(moment)
  // What the clock shows is given to the library as if it were UTC, where no time is skipped or repeated.
  const cron = createCron(text, 'UTC')
  let wall = lastShown(afterMs, timezone)
  for (;;) {
    const shown = cron.nextRun(new Date(wall.toZonedDateTime('UTC').epochMilliseconds))
    if (!shown) return null
    wall = toZoned(shown.getTime(), 'UTC').toPlainDateTime()
    const atMs = firstMomentOf(wall, timezone)
    if (atMs > afterMs) return atMs
  }
}

/** The latest time that a clock has shown up to this moment; one that was put back has shown later ones before. */
function lastShown(atMs: number, timezone: string): Temporal.PlainDateTime {
  const now = toZoned(atMs, timezone)
  const wall = now.toPlainDateTime()
  if (firstMomentOf(wall, timezone) === atMs) return wall
  const putBack = now.add({ nanoseconds: 1 }).getTimeZoneTransition('previous') ?? now
  return putBack.subtract({ nanoseconds: 1 }).toPlainDateTime()
}

/** When a clock shows this for the first time, or would have, had it not been put forward. */
function firstMomentOf(wall: Temporal.PlainDateTime, timezone: string): number {
  const first = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' })
  if (first.toPlainDateTime().equals(wall)) return first.epochMilliseconds
  return (first.getTimeZoneTransition('next') ?? first).epochMilliseconds
}

function toZoned(atMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone)
}

function createCron(text: string, timezone: string): Cron {
  return new Cron(partsOf(text).join(' '), { paused: true, timezone })
}
