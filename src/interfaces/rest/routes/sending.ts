import type { FastifyReply } from 'fastify'
import { type Entry, type Read, sendRead } from '#content'
import { entryTag } from '#content-dialect'
import type { View } from '../query/parse.ts'
import { renderRecord } from '../render/entry.ts'
import type { Asked } from '../request.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function answerRead({ request, reply }: Asked, read: Read): Buffer {
  reply.type(JSON_TYPE)
  return sendRead(request, reply, read)
}

/** Text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.type(JSON_TYPE)
  return text
}

/** `{ "data": record }` with its strong tag, unless other records are in it too, and with what is to be said besides. */
export function sendRecord(
  reply: FastifyReply,
  entry: Entry,
  view: View,
  hasIncluded: boolean,
  meta?: object,
): string {
  const rest = meta ? `,"meta":${JSON.stringify(meta)}` : ''
  const body = `{"data":${renderRecord(entry, view)}${rest}}`
  if (!hasIncluded) reply.header('etag', entryTag(entry, body))
  return sendJson(reply, body)
}
