import { type DocumentNode, execute, type FieldNode, Kind } from 'graphql'
import { isMet } from '#content-dialect'
import type { Locale } from '#content-model'
import { type Filter, type Operand, type Scalar, toSlot } from '#content-query'
import { renderTime } from '#kernel'
import { argumentsOf } from '../query/arguments.ts'
import type { Prepared } from '../query/document.ts'
import { toFilter } from '../query/filter.ts'
import { bad, pagingOf } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import { parseSort } from '../query/sort.ts'
import { compilePage } from '../render/pages.ts'
import { type Write, type WrittenMember, within, writeObject } from '../render/writing.ts'
import type { Asked } from '../request.ts'
import type { Answer } from './root.ts'

type Shown = ReadonlyMap<string, string | number>

/** Languages are few and part of the model: nothing is asked of the store. */
export function readLocales({ model, variables }: Asked, root: Picked): Answer {
  const given = argumentsOf(root, variables)
  const filter = toFilter({ model, form: 'cms' }, 'files', given['filters'], 'filters')
  const found = model.locales.map(toShown).filter((locale) => !filter || holds(filter, locale))
  const paging = pagingOf('cms', given, '')
  if (paging.kind !== 'numbered') throw new Error('locales are paged by number')
  const { start, limit } = paging.page.of([])
  const items = sorted(found, given['sort']).slice(start, start + limit)
  const write = compilePage<Shown>(root.of(), compileLocale, '')
  const ends = { hasMore: false, hasPrevious: false, positionAt: () => [] }
  const page = { items, total: found.length, start, limit, ...ends }
  return { write: (to) => write(page, { ...to, values: [] }), typeNos: [] }
}

function toShown({ id, name, code, createdAtMs, updatedAtMs }: Locale): Shown {
  const times = { createdAt: renderTime(createdAtMs), updatedAt: renderTime(updatedAtMs) }
  return new Map<string, string | number>(Object.entries({ id, name, code, ...times }))
}

function sorted(found: readonly Shown[], given: unknown): readonly Shown[] {
  const keys = parseSort(given).map(({ path, order }) => {
    const name = path.join('.')
    if (!FIELDS.includes(name)) throw bad('sort', `There is no field ${name} to sort by`)
    return { name, sign: order === 'asc' ? 1 : -1 }
  })
  return found.toSorted((one, other) => {
    for (const { name, sign } of keys) {
      const [a = '', b = ''] = [one.get(name), other.get(name)]
      if (a !== b) return a < b ? -sign : sign
    }
    return 0
  })
}

const FIELDS = ['id', 'name', 'code', 'createdAt', 'updatedAt']

/** The comparisons of the store; no field of a locale is ever missing. */
function holds(filter: Filter, locale: Shown): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.of.every((each) => holds(each, locale))
    case 'or':
      return filter.of.some((each) => holds(each, locale))
    case 'not':
      return !holds(filter.of, locale)
    case 'compare':
      return isTrue(locale.get(filter.field) ?? null, filter.operator, filter.values)
    default:
      return false
  }
}

type Comparison = Extract<Filter, { kind: 'compare' }>

function isTrue(
  value: string | number | null,
  operator: Comparison['operator'],
  given: readonly Operand<Scalar>[],
): boolean {
  const values = given.map((each) => toSlot(each).of([]))
  if (operator === 'ne') return !isMet(value, 'eq', values)
  if (operator === 'notIn') return !isMet(value, 'in', values)
  return operator === 'notContains'
    ? !isMet(value, 'contains', values)
    : isMet(value, operator, values)
}

function compileLocale(picked: readonly Picked[]): Write<Shown> {
  return writeObject(
    picked.map(({ key, name, parent, meaning, isSure, of }): WrittenMember<Shown> => {
      if (meaning?.of === 'self') return { key, isSure, write: within(key, compileLocale(of())) }
      if (meaning?.of !== 'localeMember')
        return { key, isSure, write: () => JSON.stringify(parent) }
      return { key, isSure, write: (locale) => JSON.stringify(String(locale.get(name))) }
    }),
  )
}

/** What answers say of a schema changes with the schema alone. */
const known = new WeakMap<FieldNode, string>()

/** `__schema` and `__type` are answered by the language itself, one root field at a time. */
export async function readIntrospection(
  { document, operation, schema }: Prepared,
  { variables }: Pick<Asked, 'variables'>,
  { key, node, nodes }: Picked,
): Promise<Answer> {
  const hasVariables = (operation.variableDefinitions ?? []).length > 0
  const text = known.get(node) ?? (await run())
  if (!hasVariables) known.set(node, text)
  return { write: () => text, typeNos: [] }

  async function run(): Promise<string> {
    const result = await execute({
      schema: schema.schema,
      document: withOnly(),
      variableValues: given(),
    })
    const shown = 'data' in result ? result.data?.[key] : undefined
    return JSON.stringify(shown ?? null)
  }

  /** As they were sent: the language reads them again. */
  function given(): Record<string, unknown> {
    const sent = Object.entries(variables?.sources ?? {})
    return Object.fromEntries(sent.map(([name, { value }]) => [name, value]))
  }

  function withOnly(): DocumentNode {
    const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const
    const only = { ...operation, selectionSet }
    const rest = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
    return { ...document, definitions: [only, ...rest] }
  }
}
