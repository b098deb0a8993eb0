import type { FastifyReply } from 'fastify'
import type { Answer } from '#content'
import { weakEtag } from '#kernel'
import { type CmsDeps, type Context, formOf, viewerOf } from './context.ts'

/** What a read answers, and the types it was made from. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[]
}

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content, maxDepth }: CmsDeps) {
  const { answers } = content
  return kept

  async function kept(context: Context, read: (context: Context) => Promise<Read>) {
    const { reply } = context
    const key = keyOf(context)
    const known = answers.find(key)
    if (known) return send(reply, known)
    const asked = answers.ask()
    const { text, typeNos } = await read(context)
    const body = Buffer.from(text)
    const answer = { body, headers: { etag: weakEtag(body) } }
    answers.keep(key, asked, typeNos, answer)
    return send(reply, answer)
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf(context: Context): string {
    const { request, model, type, id } = context
    const { level } = viewerOf(request)
    const seen = `${formOf(request)} ${level ?? 'none'} ${model.revision} ${maxDepth()}`
    return `cms ${seen} ${type.no} ${id} ${context.query}`
  }
}

function send(reply: FastifyReply, { body, headers }: Answer): Buffer {
  reply.headers(headers)
  return body
}
