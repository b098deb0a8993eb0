import { DomainError, renderTime } from '#kernel'
import type { ContentType } from '../model.ts'
import { levelOf, may } from '../permissions.ts'
import type { Writing } from './writing.ts'

interface Planned {
  readonly id: number
  readonly publish_at: number | null
}

/**
 * What is to be published at a time is as somebody left it who may publish: who may not changes none of it, or its
 * text would go live by itself.
 */
export function refusePlanned(
  { actor }: Pick<Writing, 'actor'>,
  type: ContentType,
  entries: readonly Planned[],
): void {
  if (may(levelOf(actor), type, 'publish')) return
  const planned = entries.find(({ publish_at }) => publish_at !== null)
  if (!planned) return
  const publish_at = renderTime(planned.publish_at ?? 0)
  const message = `${type.singularName} ${planned.id} is to be published at ${publish_at}, and until then only who may publish can change it; ask for publish_at to be taken away first`
  throw new DomainError('forbidden', 'publication_planned', message, { facts: { publish_at } })
}
