import type { ContentType } from '../../api/content.ts'
import type { SearchText } from '../../location.ts'
import type { Sort } from '../../parts/data-table.tsx'
import { parseConditions, toFilters } from './conditions.ts'

const PAGE = '50'
const MOST_COLUMNS = 5
/** What says little in one short line, unless it is asked for. */
const NOT_SHOWN = [
  ...['relation', 'component', 'dynamiczone', 'password', 'json'],
  ...['uid', 'richtext', 'media'],
]

/** What the URL of a table asks the API for. */
export function toListQuery(type: ContentType, search: SearchText): URLSearchParams {
  const { field, order } = sortOf(type, search)
  const query = new URLSearchParams({
    cursor: search['cursor'] ?? '',
    per_page: search['per_page'] ?? PAGE,
    sort: field,
    order,
  })
  if (type.draftAndPublish) query.set('status', search['status'] ?? 'all')
  if (type.localized && search['locale']) query.set('locale', search['locale'])
  if (search['q']) query.set('q', search['q'])
  for (const [name, value] of toFilters(type, parseConditions(search['filter']))) {
    query.append(name, value)
  }
  return query
}

export function sortOf(_type: ContentType, { sort, order }: SearchText): Sort {
  return { field: sort ?? 'updated_at', order: order === 'asc' ? 'asc' : 'desc' }
}

/** The columns that were chosen, else the name of entries, a few of their values, and when they changed. */
export function columnsOf(type: ContentType, { columns }: SearchText): string[] {
  if (columns) return columns.split(',').filter((name) => possibleColumns(type).includes(name))
  const own = Object.entries(type.attributes)
    .filter(([name, { type: kind }]) => name !== type.displayField && !NOT_SHOWN.includes(kind))
    .map(([name]) => name)
  const first = type.displayField ? [type.displayField] : ['id']
  const state = type.draftAndPublish ? ['status'] : []
  return [...first, ...state, ...own.slice(0, MOST_COLUMNS - 2), 'updated_at']
}

/** What every entry has is called by a word; attributes by their own names, as in answers. */
const WORDS: Readonly<Record<string, string>> = {
  id: 'Id',
  status: 'State',
  locale: 'Language',
  published_at: 'Published',
  created_at: 'Created',
  updated_at: 'Changed',
}

export function columnTitle({ attributes }: ContentType, name: string): string {
  return attributes[name] ? name : (WORDS[name] ?? name)
}

/** To-many relations are shown by the entry itself. */
export function possibleColumns(type: ContentType): string[] {
  const own = Object.entries(type.attributes)
    .filter(([, { type: kind, relation, private: isPrivate }]) => {
      if (isPrivate || kind === 'password') return false
      return kind !== 'relation' || relation === 'manyToOne' || relation === 'oneToOne'
    })
    .map(([name]) => name)
  return [
    'id',
    ...own,
    ...(type.draftAndPublish ? ['status', 'published_at'] : []),
    ...(type.localized ? ['locale'] : []),
    'created_at',
    'updated_at',
  ]
}

const UNSORTED = [
  'json',
  'tags',
  'link',
  'media',
  'relation',
  'component',
  'dynamiczone',
  'richtext',
]

export function isSortable(type: ContentType, name: string): boolean {
  const attribute = type.attributes[name]
  if (attribute) return !UNSORTED.includes(attribute.type)
  return ['id', 'created_at', 'updated_at', 'published_at'].includes(name)
}
