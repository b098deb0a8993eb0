import type { Entry, Written } from '#content'
import { seenByWriter, urlNameOf } from '#content-dialect'
import { isNamed } from '#content-query'
import type { RestContent, Restored } from '../deps.ts'
import { type ParsedOne, parseOne, type View } from '../query/parse.ts'
import { hasInclude } from '../read.ts'
import { renderMisfit } from '../render/revision.ts'
import { type Asked, reportIgnored, sendRecord } from '../request.ts'

/** Answers to changes: the working copy as it is now. */
export function createAnswering({ findOne }: Pick<RestContent, 'findOne'>) {
  return { readAnswer, answerCreated, answerWritten, answerRestored }

  /**
   * How the answer will be shown; read before anything is written, so that nothing is half done. What the caller may not
   * see with it is refused by asking for an entry that cannot exist.
   */
  async function readAnswer(asked: Asked): Promise<ParsedOne> {
    const answer = parseAnswer(asked)
    const { viewer, resource } = asked
    const state = seenByWriter(viewer, { type: resource.type, status: 'published' })
    if (state && isNamed(answer.query.include)) {
      await findOne(viewer, { ...answer.query, state }, { id: 0 })
    }
    return answer
  }

  async function answerCreated(asked: Asked, answer: ParsedOne, written: Written) {
    asked.reply.code(201).header('location', locationOf(asked, written.entry))
    return answerWritten(asked, answer, written)
  }

  async function answerWritten(
    asked: Asked,
    { query, view }: ParsedOne,
    { entry }: Pick<Written, 'entry'>,
    meta?: object,
  ) {
    const state = seenByWriter(asked.viewer, entry)
    if (!state) return sendRecord(asked.reply, entry, { ...view, fields: IDS }, true, meta)
    const found = await shownOf(asked, { ...query, state }, entry)
    return sendRecord(asked.reply, found, view, hasInclude(asked.context), meta)
  }

  async function answerRestored(asked: Asked, answer: ParsedOne, restored: Restored) {
    const meta = { warnings: restored.warnings.map(renderMisfit) }
    return answerWritten(asked, answer, restored, meta)
  }

  async function shownOf({ viewer }: Asked, query: ParsedOne['query'], entry: Entry) {
    const hasMore = query.include.length > 0
    const found = hasMore ? await findOne(viewer, query, { id: entry.id }) : entry
    // Gone again already: what was written is still the answer to this request.
    return found ?? entry
  }
}

/** Who may not read what it has written is told its ids. */
const IDS: NonNullable<View['fields']> = new Set(['id', 'document_id'])

function parseAnswer(asked: Asked): ParsedOne {
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
