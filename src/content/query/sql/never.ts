import type { Condition } from '../resolved.ts'

/** True of no entry, whatever it holds: its type need not be asked. */
export function isNever(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.some(isNever)
    case 'or':
      return condition.of.every(isNever)
    case 'not':
      return isAlways(condition.of)
    default:
      return false
  }
}

function isAlways(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.every(isAlways)
    case 'or':
      return condition.of.some(isAlways)
    case 'not':
      return isNever(condition.of)
    default:
      return false
  }
}
