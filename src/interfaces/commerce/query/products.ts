import { localeOf, type Store } from '#commerce'
import { allOf } from '#content-dialect'
import type { ContentModel, ContentType } from '#content-model'
import {
  type ContentQuery,
  type CopyState,
  type Filter,
  type Question,
  type Slots,
  type SortKey,
  typesOf,
} from '#content-query'
import type { Criteria } from './criteria.ts'
import type { Fields } from './fields.ts'
import { toFilter } from './filter.ts'
import { productIncludes } from './includes.ts'
import { fieldOf, unknownField } from './product-fields.ts'

export interface ReadProducts {
  readonly query: ContentQuery
  /** The types its answer is made from. */
  readonly typeNos: readonly number[]
}

interface Asked {
  readonly model: ContentModel
  readonly type: ContentType
  readonly store: Store
  readonly state: CopyState
  readonly criteria: Criteria
  /** Of one product, null: all. */
  readonly fields: Fields | null
}

/** Criteria taken apart: values of filters and the page are values, everything else is the template. */
export function productsQuestion(asked: Asked): Question<ReadProducts> {
  const { model, type, store, state, criteria } = asked
  const { groups, sorts, pageSize, currentPage } = criteria
  const shape = groups.map((filters) =>
    filters.map(({ field, condition, values }) => [field, condition, values.length]),
  )
  const include = productIncludes(model, type, asked.fields)
  const shown = include.map(({ field }) => field)
  const texts = groups.flat().flatMap(({ values }) => values)
  return {
    model,
    template: JSON.stringify([type.no, store, state, shape, sorts, shown]),
    values: [(currentPage - 1) * pageSize, pageSize, ...texts],
    read(slots: Slots): ReadProducts {
      const query: ContentQuery = {
        ...{ type, state, locale: localeOf(model, store), search: '', include },
        filter: filterOf(asked, slots),
        sort: sorts.map((sort) => sortOf(asked, sort)),
        page: { kind: 'offset', start: slots.whole(0), limit: slots.whole(1), count: true },
      }
      return { query, typeNos: typesOf(model, query) }
    },
  }
}

function filterOf(asked: Asked, slots: Slots): Filter | null {
  let next = 2
  const groups = asked.criteria.groups.map((filters): Filter => {
    const of = filters.map((filter) => {
      const values = filter.values.map(() => slots.text(next++))
      return toFilter(fieldOf(asked, filter.field), filter, values)
    })
    return { kind: 'or', of }
  })
  return allOf(groups)
}

function sortOf(asked: Asked, { field, direction }: Criteria['sorts'][number]): SortKey {
  const order = direction === 'ASC' ? 'asc' : 'desc'
  const found = fieldOf(asked, field)
  switch (found.kind) {
    case 'column':
    case 'time':
    case 'day':
      return { path: [found.name], order, at: [field] }
    case 'status':
      // `draft` comes first of the three; to this order 1 comes before 2.
      return { path: ['@status'], order: order === 'asc' ? 'desc' : 'asc', at: [field] }
    case 'fixed':
      return { path: ['id'], order: 'asc' }
    default:
      throw unknownField(field)
  }
}
