import { listEntries, loadTypes, titleOf } from '../../api/content.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'
import { TypeMenu } from './type-menu.tsx'

const MOST_TYPES = 5
const MOST_ENTRIES = 4

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

/** Types by name, and entries of the types with a name field by their words. */
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
  const entries = await Promise.all(
    searched.slice(0, MOST_TYPES * 2).map(async (type) => {
      const query = new URLSearchParams({ q: text, cursor: '', per_page: String(MOST_ENTRIES) })
      if (type.draftAndPublish) query.set('status', 'all')
      const { data } = await listEntries(type, query)
      return data.map((entry) => ({
        id: `${type.uid} ${entry.id}`,
        label: titleOf(type, entry),
        note: type.displayName,
        to: `/content/${type.pluralName}/${entry.document_id}`,
      }))
    }),
  )
  return [...named.slice(0, MOST_TYPES), ...entries.flat()]
}
