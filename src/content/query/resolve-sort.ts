import type { SortKey } from './ast.ts'
import type { At } from './issues.ts'
import type { Column } from './names/column.ts'
import { type Field, findField, type Scope, type Step, scopeOf } from './names/fields.ts'
import { DEEPEST_PATH, isHidden, mayEnter, type Resolving } from './resolve-filter.ts'
import type { SortColumn } from './resolved.ts'
import { toSlot } from './slot.ts'

export function resolveSort(
  to: Resolving,
  scope: Scope,
  sort: readonly SortKey[],
): readonly SortColumn[] {
  return sort.flatMap((key) => resolveKey(to, scope, key) ?? [])
}

function resolveKey(to: Resolving, scope: Scope, key: SortKey): SortColumn | undefined {
  const at = key.at ?? ['sort', key.path.join('.')]
  const steps: Step[] = []
  let current = scope
  for (const name of key.path.slice(0, -1)) {
    const field = findField(to.model, current, name)
    if (field?.kind !== 'step') return refuse(to, at, field, name)
    if (isHidden(to, field.step)) return refuse(to, at, undefined, name)
    mayEnter(to, field.step)
    steps.push(field.step)
    current = scopeOf(field.step)
  }
  if (steps.length > DEEPEST_PATH) {
    to.issues.add(at, 'too_deep', `Sorts may go through ${DEEPEST_PATH} relations`)
    return undefined
  }
  const name = key.path.at(-1) ?? ''
  const field = findField(to.model, current, name)
  if (field?.kind !== 'column') return refuse(to, at, field, name)
  const { column } = field
  const ranks = resolveRanks(key, column)
  return { steps, column, order: key.order, ...(ranks && { ranks }) }
}

/** They come from dialects, never from callers: a value that cannot be one is a mistake of ours. */
function resolveRanks({ ranks }: SortKey, { name, parse }: Column): SortColumn['ranks'] {
  if (!ranks || ranks === 'present') return ranks
  return toSlot(ranks).map((groups) => {
    const rankOf = new Map<string, number>()
    groups.forEach((group, rank) => {
      for (const value of group) {
        const parsed = parse(value)
        if (!parsed.ok) throw new Error(`${name} has no value such as the ranked ${value}`)
        rankOf.set(String(parsed.value), rank)
      }
    })
    return Object.fromEntries(rankOf)
  })
}

function refuse({ issues }: Resolving, at: At, field: Field | undefined, name: string): undefined {
  if (!field) issues.add(at, 'unknown_field', `There is no field ${name}`)
  else if (field.kind === 'private') {
    issues.add(at, 'private_field', `${name} cannot be used in a query`)
  } else issues.add(at, 'not_comparable', `${name} cannot be sorted by`)
}
