import { send } from '../../api/client.ts'
import { type ContentType, listEntries, loadTypes, titleOf } from '../../api/content.ts'
import type { ListPage } from '../../api/lists.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'
import { TypeMenu } from './type-menu.tsx'

const MOST_TYPES = 5
const MOST_ENTRIES = 4
/** Types that are asked one by one. */
const MOST_ASKED = 10

export const content: Area = {
  id: 'content',
  label: 'Content',
  icon: icons.content,
  path: '/content',
  level: 'write',
  Menu: TypeMenu,
  screens: [
    { path: '/content', load: () => import('./all-types.tsx') },
    { path: '/content/$type', load: () => import('./table.tsx') },
    { path: '/content/$type/$id', load: () => import('./entry.tsx') },
    { path: '/content/$type/$id/history', load: () => import('./history.tsx') },
  ],
  find,
}

/** Types by name, and entries by their words. */
async function find(text: string): Promise<readonly Found[]> {
  const types = await loadTypes()
  const wanted = text.toLowerCase()
  const named = types
    .filter(({ displayName }) => displayName.toLowerCase().includes(wanted))
    .map(({ uid, displayName, pluralName }) => ({
      id: uid,
      label: displayName,
      note: 'Content type',
      to: `/content/${pluralName}`,
    }))
  const searched = types.filter(({ kind, displayField }) => kind !== 'singleType' && displayField)
  const entries = await Promise.all([
    ...searched.slice(0, MOST_ASKED).map((type) => findIn(type, text)),
    findInAll(searched.slice(MOST_ASKED), text),
  ])
  return [...named.slice(0, MOST_TYPES), ...entries.flat()]
}

/** Also by a part of a word. A type that fails to answer must not keep the others from being found. */
async function findIn(type: ContentType, text: string): Promise<readonly Found[]> {
  const query = new URLSearchParams({ q: text, cursor: '', per_page: String(MOST_ENTRIES) })
  if (type.draftAndPublish) query.set('status', 'all')
  const { data } = await listEntries(type, query).catch(() => ({ data: [] }))
  return data.map((entry) => found(type, entry.document_id, titleOf(type, entry)))
}

/** Of many types by one question, which knows whole words and the beginning of the last. */
async function findInAll(types: readonly ContentType[], text: string): Promise<readonly Found[]> {
  if (types.length === 0) return []
  const query = {
    ...{ q: text, status: 'all', count: 'false', per_page: 4 * MOST_ENTRIES },
    types: types.map(({ singularName }) => singularName).join(),
  }
  const { body } = await send<ListPage<Hit>>('/api/v1/search', { query }).catch(() => NONE)
  return body.data.flatMap(({ type: name, document_id, id, title }) => {
    const type = types.find(({ singularName }) => singularName === name)
    return type ? [found(type, document_id, String(title || `#${id}`))] : []
  })
}

interface Hit {
  readonly type: string
  readonly id: number
  readonly document_id: string
  readonly title: unknown
}

const NONE = { body: { data: [] } }

function found({ uid, displayName, pluralName }: ContentType, id: string, label: string): Found {
  const to = `/content/${pluralName}/${id}`
  return { id: `${uid} ${id}`, label, note: displayName, to }
}
