import { createLru } from '#kernel'
import type { ContentModel } from '../model.ts'
import type { Shape } from './shaped.ts'

const PLANS_KEPT = 500

/**
 * The statements of the shapes of queries asked last. Guaranteed: a plan is found only for a query that
 * differs from the one it was made for in nothing but values, under the same model. The key holds all
 * that decides about the statements, and the compiler, which sees no values, cannot ask for more.
 */
export function createPlans<Asked, Plan extends object>(
  make: (model: ContentModel, query: Asked) => Plan,
) {
  const recent = createLru<string, Plan>(PLANS_KEPT)
  let of: ContentModel | undefined
  return { planFor }

  function planFor(model: ContentModel, { key, query }: Shape<Asked>): Plan {
    if (of !== model) recent.clear()
    of = model
    return recent.find(key) ?? recent.keep(key, make(model, query))
  }
}
