import type { Entry, Written } from '#content'
import { urlNameOf } from '#content-dialect'
import type { RestContent } from '../deps.ts'
import { type ParsedOne, parseOne, type View } from '../query/parse.ts'
import { hasInclude } from '../read.ts'
import { type Asked, reportIgnored } from '../request.ts'
import { sendRecord } from '../routes/sending.ts'

/** Answers to changes: the working copy as it is now. */
export function createAnswering({ findOne }: Pick<RestContent, 'findOne'>) {
  return { answerCreated, answerWritten }

  async function answerCreated(asked: Asked, answer: ParsedOne, written: Written) {
    asked.reply.code(201).header('location', locationOf(asked, written.entry))
    return answerWritten(asked, answer, written)
  }

  async function answerWritten(asked: Asked, { query, view }: ParsedOne, { entry }: Written) {
    const hasMore = query.include.length > 0
    const target = { id: entry.id }
    const found = hasMore ? await findOne(asked.viewer, query, target) : entry
    // Gone again already: what was written is still the answer to this request.
    return sendRecord(asked.reply, found ?? entry, view, hasInclude(asked.context))
  }
}

/** How the answer will be shown; read before anything is written, so that nothing is half done. */
export function readAnswer(asked: Asked): ParsedOne {
  const { text } = asked.context.parameters
  const parameters = { ...asked.context.parameters, text: withoutStatus }
  const { query, view, known } = parseOne({ ...asked.context, parameters })
  reportIgnored(asked, known)
  const working: View = { ...view, state: 'working' }
  return {
    query: { ...query, state: 'working', locale: { kind: 'all' } },
    view: working,
    known,
  }

  function withoutStatus(name: string) {
    return name === 'status' ? undefined : text(name)
  }
}

/** Where the record can be read by whoever made it: a draft only as such. */
function locationOf({ resource }: Asked, entry: Entry): string {
  const { type, version } = resource
  const base = `/api/v${version}/${urlNameOf(type)}`
  const isDraft = type.draftAndPublish && entry.publishedAtMs === null
  const isVariant = version === 2 && type.localized && entry.locale !== null
  const query = new URLSearchParams({
    ...(isVariant || (type.kind === 'singleType' && entry.locale !== null)
      ? { locale: String(entry.locale) }
      : {}),
    ...(isDraft ? { status: 'draft' } : {}),
  }).toString()
  const id = version === 1 ? entry.id : entry.documentId
  const path = type.kind === 'singleType' ? base : `${base}/${id}`
  return query === '' ? path : `${path}?${query}`
}
