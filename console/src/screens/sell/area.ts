import { send } from '../../api/client.ts'
import type { ListPage } from '../../api/lists.ts'
import type { Area, Found } from '../../area.ts'
import { icons } from '../../parts/icons.tsx'
import type { Key, User } from './records.ts'

/** What an owner sells: plans, who has them, what they used and what they owe. */
export const sell: Area = {
  id: 'sell',
  label: 'Sell',
  icon: icons.chart,
  path: '/sell',
  level: 'admin',
  screens: [
    { path: '/sell', load: () => import('./plans.tsx') },
    { path: '/sell/users', load: () => import('./users.tsx') },
    { path: '/sell/keys', load: () => import('./all-keys.tsx') },
    { path: '/sell/usage', load: () => import('./usage.tsx') },
    { path: '/sell/invoices', load: () => import('./invoices.tsx') },
  ],
  find,
}

/** What a buyer sees, of their own and nobody else's. */
export const mine: Area = {
  id: 'mine',
  label: 'My keys and usage',
  icon: icons.key,
  path: '/mine',
  level: 'read',
  screens: [{ path: '/mine', load: () => import('./mine.tsx') }],
}

async function find(text: string): Promise<readonly Found[]> {
  const [users, keys] = await Promise.all([findUsers(text), findKeys(text)])
  return [...users, ...keys]
}

/** Keys are not searched by the server: of the newest hundred, by name and first letters. */
async function findKeys(text: string): Promise<readonly Found[]> {
  const { body } = await send<ListPage<Key>>('/api/v1/keys', {
    query: { per_page: 100, sort: 'id', order: 'desc' },
  })
  const wanted = text.toLowerCase()
  return body.data
    .filter(({ name, key_prefix }) => `${name} ${key_prefix}`.toLowerCase().includes(wanted))
    .slice(0, 5)
    .map(({ id, name, key_prefix }) => ({
      id: `key ${id}`,
      label: name ?? key_prefix ?? `#${id}`,
      note: 'Key',
      to: `/sell/keys?key=${id}`,
    }))
}

async function findUsers(text: string): Promise<readonly Found[]> {
  const { body } = await send<ListPage<User>>('/api/v1/users', { query: { q: text, per_page: 5 } })
  return body.data.map(({ id, email, name }) => ({
    id: `user ${id}`,
    label: email,
    note: name ?? 'User',
    to: `/sell/users?user=${id}`,
  }))
}
