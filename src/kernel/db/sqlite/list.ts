import type { Cell } from '../ask.ts'

/** A list as one value, for `json_each`. By hand, because JSON.stringify refuses integers beyond 2^53. */
export function renderList(list: readonly Cell[]): string {
  return `[${list.map((item) => (typeof item === 'string' ? JSON.stringify(item) : item)).join(',')}]`
}
