import type { Kysely } from 'kysely'
import type { Database } from '#db'
import { countFailing, findFailing } from './store/failing.ts'
import type { WebhooksTables } from './tables.ts'

/** Which endpoints fail now, or were given up by us; those that their owner switched off do not count. */
export function createFailing({ main }: Pick<Database, 'main'>) {
  const reader: Kysely<WebhooksTables> = main.reader
  return async (limit: number) => {
    const some = await findFailing(reader, limit)
    // Few are the rule: only a full list has to be counted.
    const total = some.length < limit ? some.length : await countFailing(reader)
    return { total, some }
  }
}
