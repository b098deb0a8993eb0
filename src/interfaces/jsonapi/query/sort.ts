import type { ContentModel } from '#content-model'
import { type SortKey, textOf } from '#content-query'
import { badParameter } from '../errors.ts'
import type { ListContext } from './filter.ts'
import type { Parameter } from './parameters.ts'
import { type Located, locate } from './paths.ts'
import { rankUsers } from './users.ts'

interface Asked {
  readonly path: string
  readonly order: 'asc' | 'desc'
  readonly at: string
}

const MAX_KEYS = 20

/** `sort=-created,title` or `sort[L][path]=created&sort[L][direction]=DESC` (contract §6.2). */
export function parseSort(
  context: ListContext,
  parameters: readonly Parameter[],
): readonly SortKey[] {
  return readSort(parameters).flatMap((asked) => toKey(context, asked))
}

export function readSort(parameters: readonly Parameter[]): readonly Asked[] {
  const [first] = parameters
  if (!first) return []
  const isShort = parameters.every(({ keys }) => keys.length === 0)
  const asked = isShort ? readShort(parameters) : readLong(parameters)
  if (asked.length > MAX_KEYS) throw badParameter(first.name, `At most ${MAX_KEYS} fields`)
  return asked
}

function readShort([first, second]: readonly Parameter[]): Asked[] {
  if (second) throw badParameter(second.name, 'sort must be given once')
  return textOf(first?.value ?? '')
    .split(',')
    .map((word) => {
      const trimmed = word.trim()
      const path = trimmed.startsWith('-') ? trimmed.slice(1) : trimmed
      if (path === '') throw badParameter('sort', 'sort names no field')
      return { path, order: trimmed.startsWith('-') ? 'desc' : 'asc', at: 'sort' }
    })
}

function readLong(parameters: readonly Parameter[]): Asked[] {
  const labels = new Map<string, { path?: Parameter; direction?: Parameter; name: string }>()
  for (const parameter of parameters) {
    const [label, member, ...rest] = parameter.keys
    const isKnown = member === 'path' || member === 'direction'
    if (label === undefined || rest.length > 0 || (member !== undefined && !isKnown)) {
      throw badParameter(parameter.name, 'A sort has path and direction')
    }
    const known = labels.get(label) ?? { name: parameter.name }
    labels.set(label, known)
    if (member === undefined || member === 'path') known.path = parameter
    else known.direction = parameter
  }
  return [...labels].map(([label, { path, direction, name }]) => {
    const by = path && textOf(path.value)
    if (!path || !by) throw badParameter(name, `sort[${label}] has no path`)
    return { path: by, order: toOrder(direction), at: path.name }
  })
}

function toOrder(given: Parameter | undefined): 'asc' | 'desc' {
  const word = textOf(given?.value ?? 'ASC').toUpperCase()
  if (word === 'ASC' || word === 'DESC') return word === 'ASC' ? 'asc' : 'desc'
  throw badParameter(given?.name ?? 'sort', 'direction must be ASC or DESC')
}

function toKey(context: ListContext, { path, order, at }: Asked): SortKey[] {
  const located = locate(context, path)
  if ('fault' in located) throw badParameter(at, located.fault, 'unknown_field')
  const { steps, leaf } = located
  if (leaf.kind === 'whole') throw badParameter(at, leaf.fault, 'unknown_field')
  if (steps.some(({ many }) => many)) {
    throw badParameter(at, `${path} goes through a relationship to many`)
  }
  const names = steps.map(({ field }) => field)
  return sortedBy(context, located).map(({ field, ranks }) => ({
    ...{ path: [...names, field], order, at: [at] },
    ...(ranks && { ranks }),
  }))
}

interface Sorted extends Pick<SortKey, 'ranks'> {
  readonly field: string
}

/** Empty for what is the same everywhere. */
function sortedBy({ catalogue, users }: ListContext, { steps, leaf }: Located): readonly Sorted[] {
  const { model } = catalogue
  switch (leaf.kind) {
    case 'constant':
      // Where nothing is related the value is missing.
      return steps.length > 0 && leaf.value !== null ? [{ field: 'id', ranks: 'present' }] : []
    case 'user':
      return [{ field: '@createdBy', ranks: rankUsers(users, leaf.member, model) }]
    case 'whole':
      return []
    case 'field':
      return [FLAGS.get(leaf.field)?.(model) ?? leaf]
  }
}

/** Truth values that follow from what the store keeps otherwise; false comes before true. */
const FLAGS: ReadonlyMap<string, (model: ContentModel) => Sorted> = new Map([
  ['@live', () => ({ field: '@status', ranks: [['draft'], ['changed', 'published']] })],
  ['@default', byDefaultLocale],
])

function byDefaultLocale({ locales, defaultLocale }: ContentModel): Sorted {
  const others = locales.map(({ code }) => code).filter((code) => code !== defaultLocale)
  return { field: 'locale', ranks: [others, [defaultLocale]] }
}
