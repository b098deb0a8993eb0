import type { Read } from '#content'
import { type Asked, askedBy, type CmsDeps, type Context } from './context.ts'

type Reading = (asked: Asked) => Promise<Read>

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content, maxDepth }: CmsDeps) {
  return kept

  function kept(context: Context, read: Reading): Promise<Buffer> {
    const asked = askedBy(context)
    return content.kept(questionOf(context, asked), () => read(asked))
  }

  function questionOf({ request, reply }: Context, asked: Asked) {
    const depth = maxDepth()
    const holds = () => content.model() === asked.model && maxDepth() === depth
    return { request, reply, key: keyOf(asked, depth), holds }
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf({ form, viewer, model, type, id, query }: Asked, depth: number): string {
    const seen = `${form} ${viewer.level ?? 'none'} ${model.revision} ${depth}`
    return `cms ${seen} ${type.no} ${id} ${query}`
  }
}
