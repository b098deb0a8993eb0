import type { Fault } from '../refusals.ts'
import { wrongType } from '../refusals.ts'
import { dayAt, parseMoment } from '../times.ts'

/** Longer texts are no numbers of ours, and looking at them would take time. */
const LONGEST_NUMBER = 400

/** Reads members of a body and collects what is wrong with them. */
export function createValues() {
  const faults: Fault[] = []
  return { faults, text, number, whole, flag, time, day, object, list }

  function text(name: string, value: unknown): string | undefined {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return String(value)
    return refuse(name, value, 'a text')
  }

  /** Numeric text counts, as clients of this dialect send it. */
  function number(name: string, value: unknown): number | undefined {
    const isText = isShort(value) && /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value)
    const given = isText ? Number(value) : value
    return typeof given === 'number' && Number.isFinite(given)
      ? given
      : refuse(name, value, 'a number')
  }

  function whole(name: string, value: unknown): number | undefined {
    const given = isShort(value) && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value
    // `5.0` and `"5.0000"` are whole, as the dialect's own stock items are written.
    const asNumber = isShort(given) && /^-?\d+\.0+$/.test(given) ? Number(given) : given
    return Number.isSafeInteger(asNumber) ? Number(asNumber) : refuse(name, value, 'a whole number')
  }

  function flag(name: string, value: unknown): boolean | undefined {
    if (typeof value === 'boolean') return value
    if (value === 1 || value === '1' || value === 'true') return true
    if (value === 0 || value === '0' || value === 'false') return false
    return refuse(name, value, 'true or false')
  }

  /** Epoch milliseconds, from a text in the form of the dialect or ISO 8601. */
  function time(name: string, value: unknown): number | undefined {
    const ms = isShort(value) ? parseMoment(value) : undefined
    return ms ?? refuse(name, value, 'a time such as 2026-05-04 10:20:30')
  }

  /** A time inside a day is refused: nothing that was sent is left out silently. */
  function day(name: string, value: unknown): string | undefined {
    const ms = isShort(value) ? parseMoment(value) : undefined
    const found = ms === undefined ? undefined : dayAt(ms)
    return found ?? refuse(name, value, 'a day such as 2026-05-04 or 2026-05-04 00:00:00')
  }

  function object(name: string, value: unknown): Readonly<Record<string, unknown>> | undefined {
    if (isRecord(value)) return value
    return refuse(name, value, 'an object')
  }

  function list(name: string, value: unknown): readonly unknown[] | undefined {
    return Array.isArray(value) ? value : refuse(name, value, 'a list')
  }

  function refuse(name: string, value: unknown, type: string): undefined {
    faults.push(wrongType(name, value, type))
    return undefined
  }
}

export type ValueReader = ReturnType<typeof createValues>

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_NUMBER
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
