import type { Kysely } from 'kysely'
import type { Alongside, Database } from '#db'
import { notFound } from '#kernel'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Subscription } from './records.ts'
import { findSubscription } from './store/subscriptions.ts'
import type { SubscriptionInput } from './subscription-input.ts'
import type { Created, Subscriptions } from './subscriptions.ts'
import type { WebhooksTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly subscriptions: Subscriptions
}

/** A subscription with the number by which area A knows it (webhooks contract §12). */
export interface Registration {
  readonly id: number
  readonly subscription: Subscription
}

export type Registered = Created & { readonly number: number }

export function createRegistrations({ db, subscriptions }: Deps) {
  const reader: Kysely<WebhooksTables> = db.main.reader
  return { create, list, get, remove }

  async function create(
    consumerId: string,
    input: SubscriptionInput,
    alongside?: Alongside<Registered>,
  ): Promise<Registered> {
    let number = 0
    const created = await subscriptions.create(consumerId, input, {
      source: 'scrapers',
      async alongside(tx, made) {
        const row = await tx
          .as<WebhooksTables>()
          .insertInto('webhooks_registrations')
          .values({ subscription_id: made.id, consumer_id: consumerId })
          .returning('id')
          .executeTakeFirstOrThrow()
        number = row.id
        await alongside?.(tx, { ...made, number })
      },
    })
    return { ...created, number }
  }

  async function list(consumerId: string, query: ListQuery): Promise<FoundPage<Registration>> {
    const filtered = reader
      .selectFrom('webhooks_registrations')
      .where('consumer_id', '=', consumerId)
    const page = await findPage(filtered, (q) => q.selectAll(), query, { id: 'id' })
    const rows = await Promise.all(
      page.rows.map(async ({ id, subscription_id }) => {
        const subscription = await findSubscription(reader, consumerId, subscription_id)
        return subscription ? [{ id, subscription }] : []
      }),
    )
    return { ...page, rows: rows.flat() }
  }

  async function get(consumerId: string, id: number): Promise<Registration> {
    const row = await reader
      .selectFrom('webhooks_registrations')
      .selectAll()
      .where('id', '=', id)
      .where('consumer_id', '=', consumerId)
      .executeTakeFirst()
    const subscription = row && (await findSubscription(reader, consumerId, row.subscription_id))
    if (!subscription) throw notFound('webhook')
    return { id, subscription }
  }

  async function remove(consumerId: string, id: number): Promise<void> {
    const { subscription } = await get(consumerId, id)
    await subscriptions.remove(consumerId, subscription.id)
  }
}

export type Registrations = ReturnType<typeof createRegistrations>
