import type { Instance } from './chain.ts'
import type { Context } from './context.ts'
import { lookUpForwarded } from './variables.ts'

/**
 * Whether a plugin runs for this request: its `_meta.filter` looks at the request as earlier plugins
 * have changed it. Once it has held the plugin stays in, so that none does half of its work because
 * its own change, such as hiding a credential, made the filter false.
 */
export function isWanted(ctx: Context, instance: Instance): boolean {
  const { filter } = instance
  if (filter === null || ctx.wanted?.has(instance)) return true
  if (!filter((name) => lookUpForwarded(ctx, name))) return false
  ctx.wanted ??= new Set()
  ctx.wanted.add(instance)
  return true
}
