import { kindOf } from '../../fields/index.ts'
import type { FieldResult } from '../../fields/kind.ts'
import type { PlainAttribute } from '../../model.ts'
import type { Scalar } from '../ast.ts'

type Value = Exclude<Scalar, null>

/** Of system members, which no attribute describes. */
const MOMENT: PlainAttribute = {
  type: 'datetime',
  no: 0,
  name: '',
  required: false,
  unique: false,
  private: false,
  searchable: false,
  localized: false,
  unversioned: false,
}
const INTEGER = /^-?\d{1,15}$/

export function parseText(value: Value): FieldResult<string> {
  return { ok: true, value: String(value) }
}

export function parseWhole(value: Value): FieldResult<number> {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { ok: true, value }
  if (typeof value === 'string' && INTEGER.test(value)) return { ok: true, value: Number(value) }
  return { ok: false, rule: 'type', message: 'must be an integer' }
}

export function parseFinite(value: Value): FieldResult<number> {
  const number = typeof value === 'number' ? value : Number(value)
  if (value !== '' && Number.isFinite(number)) return { ok: true, value: number }
  return { ok: false, rule: 'type', message: 'must be a number' }
}

export function parseMoment(value: Value) {
  return kindOf(MOMENT).parseFilter(value, MOMENT)
}

export function parseFlag(value: Value): FieldResult<number> {
  if (['true', 't', '1'].includes(String(value))) return { ok: true, value: 1 }
  if (['false', 'f', '0'].includes(String(value))) return { ok: true, value: 0 }
  return { ok: false, rule: 'type', message: 'must be true or false' }
}

/** Kilobytes with two decimals, compared as hundredths. */
export function parseKilobytes(value: Value): FieldResult<number> {
  const hundredths = Number(value) * 100
  const whole = Math.round(hundredths)
  if (value !== '' && Math.abs(hundredths - whole) < 1e-6 && Number.isSafeInteger(whole)) {
    return { ok: true, value: whole }
  }
  return { ok: false, rule: 'type', message: 'must be a number with at most two decimals' }
}
