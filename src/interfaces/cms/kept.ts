import type { Read } from '#content'
import { type CmsDeps, type Context, formOf, viewerOf } from './context.ts'

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content, maxDepth }: CmsDeps) {
  return kept

  function kept(context: Context, read: (context: Context) => Promise<Read>): Promise<Buffer> {
    const { request, reply, model } = context
    const depth = maxDepth()
    const holds = () => content.model() === model && maxDepth() === depth
    const key = keyOf(context, depth)
    return content.kept({ request, reply, key, holds }, () => read(context))
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf(context: Context, depth: number): string {
    const { request, model, type, id } = context
    const { level } = viewerOf(request)
    const seen = `${formOf(request)} ${level ?? 'none'} ${model.revision} ${depth}`
    return `cms ${seen} ${type.no} ${id} ${context.query}`
  }
}
