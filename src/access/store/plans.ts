import type { Kysely, Selectable } from 'kysely'
import { type FoundPage, findPage, type ListQuery } from '#paging'
import type { Plan, PlanFigures } from '../records.ts'
import type { AccessTables } from '../tables.ts'

type Db = Kysely<AccessTables>
type Row = Selectable<AccessTables['access_plans']>

export const PLAN_SORTS = [
  'id',
  'name',
  'requests_per_month',
  'requests_per_minute',
  'price_monthly',
  'created_at',
  'updated_at',
] as const

const COLUMNS = {
  ...Object.fromEntries(PLAN_SORTS.map((name) => [name, name])),
  price_monthly: 'price_cents',
}

const UNLIMITED = -1

/** Deleted plans are found by none of these. */
export async function findPlan(db: Db, id: number): Promise<Plan | undefined> {
  const row = await present(db).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toPlan(row)
}

export async function findPlanByName(db: Db, name: string): Promise<Plan | undefined> {
  const row = await present(db)
    .selectAll()
    .where('name', '=', name)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row && toPlan(row)
}

export async function findPlans(db: Db, list: ListQuery): Promise<FoundPage<Plan>> {
  const page = await findPage(present(db), (query) => query.selectAll(), list, COLUMNS)
  return { ...page, rows: page.rows.map(toPlan) }
}

export async function insertPlan(
  db: Db,
  figures: PlanFigures,
  { nowMs, revision }: { nowMs: number; revision: number },
): Promise<Plan> {
  const row = await db
    .insertInto('access_plans')
    .values({
      ...toRow(figures),
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
      revision,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toPlan(row)
}

export async function updatePlan(
  db: Db,
  id: number,
  figures: PlanFigures,
  { nowMs, revision }: { nowMs: number; revision: number },
): Promise<Plan> {
  const row = await db
    .updateTable('access_plans')
    .set({ ...toRow(figures), updated_at: nowMs, revision })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toPlan(row)
}

/** The row stays: invoices of past months still name it. */
export async function deletePlan(
  db: Db,
  id: number,
  { nowMs, revision }: { nowMs: number; revision: number },
): Promise<void> {
  await db
    .updateTable('access_plans')
    .set({ deleted_at: nowMs, revision })
    .where('id', '=', id)
    .execute()
}

function present(db: Db) {
  return db.selectFrom('access_plans').where('deleted_at', 'is', null)
}

function toRow(figures: PlanFigures) {
  return {
    name: figures.name,
    requests_per_month: figures.requestsPerMonth ?? UNLIMITED,
    requests_per_minute: figures.requestsPerMinute ?? UNLIMITED,
    endpoints: JSON.stringify(figures.endpoints),
    price_cents: figures.priceCents,
    currency: figures.currency,
    keys_per_user: figures.keysPerUser,
  }
}

function toPlan(row: Row): Plan {
  return {
    id: row.id,
    name: row.name,
    requestsPerMonth: toLimit(row.requests_per_month),
    requestsPerMinute: toLimit(row.requests_per_minute),
    endpoints: toEndpoints(row.endpoints),
    priceCents: row.price_cents,
    currency: row.currency,
    keysPerUser: row.keys_per_user,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

export function toLimit(stored: number): number | null {
  return stored === UNLIMITED ? null : stored
}

export function toEndpoints(stored: string): readonly string[] {
  return JSON.parse(stored)
}
