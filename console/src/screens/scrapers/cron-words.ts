const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A schedule in words where it is a usual one; otherwise as it stands. */
export function cronWords(schedule: string | null | undefined, zone = 'UTC'): string {
  if (!schedule) return 'by hand'
  const [minute = '', hour = '', day = '', month = '', weekday = '', more] = schedule.split(/\s+/)
  if (more !== undefined || month !== '*') return schedule
  const [, minutes] = /^\*\/(\d+)$/.exec(minute) ?? []
  const isAnyDay = day === '*' && weekday === '*'
  if (minute === '*' && hour === '*' && isAnyDay) return 'every minute'
  if (minutes !== undefined && hour === '*' && isAnyDay) return `every ${minutes} minutes`
  if (!/^\d+$/.test(minute)) return schedule
  if (hour === '*' && isAnyDay) return `every hour at minute ${minute}`
  const [, hours] = /^\*\/(\d+)$/.exec(hour) ?? []
  if (hours !== undefined && isAnyDay) return `every ${hours} hours at minute ${minute}`
  if (!/^\d+$/.test(hour)) return schedule
  const at = `at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')} ${zone}`
  if (isAnyDay) return `every day ${at}`
  if (day === '*' && weekday === '1-5') return `from Monday to Friday ${at}`
  if (day === '*' && /^[0-7]$/.test(weekday)) return `every ${DAYS[Number(weekday) % 7]} ${at}`
  if (weekday === '*' && /^\d+$/.test(day)) return `on day ${day} of the month ${at}`
  return schedule
}
