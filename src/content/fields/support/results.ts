import type { FieldResult } from '../kind.ts'

export function accepted<Value>(value: Value): FieldResult<Value> {
  return { ok: true, value }
}

export function refused(rule: string, message: string) {
  return { ok: false, rule, message } as const
}

/** For values of which one can only ask whether they are there. */
export function notComparable() {
  return refused('not_comparable', 'cannot be compared')
}
