import type { Kysely } from 'kysely'
import type { Alongside, Database } from '#db'
import { conflict, notFound } from '#kernel'
import type { FoundPage, ListQuery } from '#paging'
import type { Changes } from './changes.ts'
import { keepAnAdmin } from './last-admin.ts'
import type { Plan, PlanFigures } from './records.ts'
import { noteFormerPrice } from './store/former-plans.ts'
import { hasActiveKeysOfPlan } from './store/keys.ts'
import {
  deletePlan,
  findPlan,
  findPlanByName,
  findPlans,
  insertPlan,
  updatePlan,
} from './store/plans.ts'
import type { AccessTables } from './tables.ts'

interface Deps {
  readonly db: Database
  readonly changes: Changes
}

export const PLAN_DEFAULTS = {
  endpoints: ['*'],
  priceCents: 0,
  currency: 'USD',
  keysPerUser: 0,
} as const

export function createPlans({ db, changes }: Deps) {
  const reader: Kysely<AccessTables> = db.main.reader
  return { create, get, find, findByName, list, update, remove }

  async function create(figures: PlanFigures, alongside?: Alongside<Plan>): Promise<Plan> {
    return changes.change(async (change) => {
      const plan = await insertPlan(change.trx, figures, change)
      await alongside?.(change.tx, plan)
      return plan
    })
  }

  function find(id: number): Promise<Plan | undefined> {
    return findPlan(reader, id)
  }

  function findByName(name: string): Promise<Plan | undefined> {
    return findPlanByName(reader, name)
  }

  async function get(id: number): Promise<Plan> {
    return (await find(id)) ?? unknownPlan()
  }

  function list(query: ListQuery): Promise<FoundPage<Plan>> {
    return findPlans(reader, query)
  }

  async function update(id: number, figures: Partial<PlanFigures>): Promise<Plan> {
    return changes.change((change) =>
      keepAnAdmin(change, async () => {
        const current = (await findPlan(change.trx, id)) ?? unknownPlan()
        const changed = { ...current, ...figures }
        if (isPricedOtherwise(current, changed)) {
          await noteFormerPrice(change.trx, { ...current, planId: id, untilMs: change.nowMs })
        }
        return updatePlan(change.trx, id, changed, change)
      }),
    )
  }

  async function remove(id: number): Promise<void> {
    await changes.change(async (change) => {
      if (!(await findPlan(change.trx, id))) unknownPlan()
      if (await hasActiveKeysOfPlan(change.trx, id, change.nowMs)) {
        throw conflict('plan_in_use', 'Active keys have this plan')
      }
      await deletePlan(change.trx, id, change)
    })
  }
}

export type Plans = ReturnType<typeof createPlans>

function isPricedOtherwise(a: PlanFigures, b: PlanFigures): boolean {
  return a.priceCents !== b.priceCents || a.currency !== b.currency
}

function unknownPlan(): never {
  throw notFound('plan')
}
