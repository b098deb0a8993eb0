import type { ContentModel } from '../model.ts'
import type { Shape } from './shaped.ts'

const PLANS_KEPT = 500

/**
 * The statements of the shapes of queries asked last. Guaranteed: a plan is found only for a query that
 * differs from the one it was made for in nothing but values, under the same model. The key holds all
 * that decides about the statements, and the compiler, which sees no values, cannot ask for more.
 */
export function createPlans<Asked, Plan>(make: (model: ContentModel, query: Asked) => Plan) {
  const kept = new Map<string, Plan>()
  let of: ContentModel | undefined
  return { planFor }

  function planFor(model: ContentModel, { key, query }: Shape<Asked>): Plan {
    if (of !== model) kept.clear()
    of = model
    const plan = kept.get(key) ?? make(model, query)
    kept.delete(key)
    kept.set(key, plan)
    const [oldest] = kept.keys()
    if (kept.size > PLANS_KEPT && oldest !== undefined) kept.delete(oldest)
    return plan
  }
}
