import type { Kysely } from 'kysely'
import type { AccessTables } from '../tables.ts'
import type { FormerPlan, FormerPrice } from '../usage/index.ts'

// What plans and prices were before they changed: invoices need it, nothing else does.

type Db = Kysely<AccessTables>

/** Both databases limit how many values a statement may carry. */
const IDS_PER_QUERY = 500

export async function noteFormerPlan(
  db: Db,
  { keyId, planId, untilMs }: { keyId: number; planId: number; untilMs: number },
): Promise<void> {
  const row = { key_id: keyId, plan_id: planId, until: untilMs }
  await db.insertInto('access_former_plans').values(row).execute()
}

export async function noteFormerPrice(
  db: Db,
  price: { planId: number; priceCents: number; currency: string; untilMs: number },
): Promise<void> {
  const { planId, priceCents, currency, untilMs } = price
  const row = { plan_id: planId, price_cents: priceCents, currency, until: untilMs }
  await db.insertInto('access_former_prices').values(row).execute()
}

/** The plans that the keys had at some time since then and have no more, oldest first. */
export async function findFormerPlans(
  db: Db,
  keyIds: readonly number[],
  sinceMs: number,
): Promise<FormerPlan[]> {
  const found: FormerPlan[] = []
  for (const some of chunks(keyIds)) {
    const rows = await db
      .selectFrom('access_former_plans as former')
      .innerJoin('access_plans as plan', 'plan.id', 'former.plan_id')
      .select(['former.key_id', 'former.until', 'plan.id as plan_id'])
      .select(['plan.name', 'plan.price_cents', 'plan.currency'])
      .where('former.key_id', 'in', some)
      .where('former.until', '>', sinceMs)
      .orderBy('former.until')
      .orderBy('former.id')
      .execute()
    for (const { key_id, until, plan_id, name, price_cents, currency } of rows) {
      const plan = { id: plan_id, name, priceCents: price_cents, currency }
      found.push({ keyId: key_id, untilMs: until, plan })
    }
  }
  return found
}

/** The prices that the plans had at some time since then and have no more, oldest first. */
export async function findFormerPrices(
  db: Db,
  planIds: readonly number[],
  sinceMs: number,
): Promise<FormerPrice[]> {
  const found: FormerPrice[] = []
  for (const some of chunks(planIds)) {
    const rows = await db
      .selectFrom('access_former_prices')
      .selectAll()
      .where('plan_id', 'in', some)
      .where('until', '>', sinceMs)
      .orderBy('until')
      .orderBy('id')
      .execute()
    for (const { plan_id, until, price_cents, currency } of rows) {
      found.push({ planId: plan_id, untilMs: until, priceCents: price_cents, currency })
    }
  }
  return found
}

function* chunks(ids: readonly number[]): Generator<number[]> {
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) yield ids.slice(at, at + IDS_PER_QUERY)
}
