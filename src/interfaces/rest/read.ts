import { type ContentQuery, typesOf } from '#content-query'
import { notFound } from '#kernel'
import { createCursors } from '#paging'
import type { RestDeps } from './deps.ts'
import {
  type Context,
  type ParsedList,
  type ParsedOne,
  parseList,
  parseOne,
} from './query/parse.ts'
import { sendPage } from './read/page.ts'
import { type Asked, addressed, questionOf, reportIgnored } from './request.ts'
import { answerRead, sendRecord } from './routes/sending.ts'
import type { Address } from './target.ts'

interface ReadOne extends Omit<ParsedOne, 'query'> {
  readonly query: ContentQuery
  readonly typeNos: readonly number[]
  readonly isAlone: boolean
}

/** Lists and single records. */
export function createReading(deps: RestDeps) {
  const { content, parseFilters, origin } = deps
  const cursors = createCursors({ key: deps.cursorKey })
  const prepareList = content.entryTemplates<ParsedList>()
  const prepareOne = content.entryTemplates<ReadOne>()
  return { list, one }

  async function list(asked: Asked): Promise<Buffer> {
    const question = questionOf(asked, 'list', [], (context) => {
      const parsed = parseList(context, { cursors, parseFilters })
      reportIgnored(asked, parsed.known)
      return parsed
    })
    const prepared = prepareList(asked.viewer, question)
    reportIgnored(asked, prepared.read.known)
    const page = await content.readEntries(prepared)
    const text = sendPage(asked, prepared, page, { cursors, origin: origin(asked.request) })
    return answerRead(asked, { text, typeNos: prepared.read.typeNos })
  }

  async function one(asked: Asked, address: Address): Promise<Buffer> {
    const { kind, values, toQuery } = addressed(address)
    const question = questionOf(asked, kind, values, (context, slots, at): ReadOne => {
      const parsed = parseOne(context)
      reportIgnored(asked, parsed.known)
      const typeNos = typesOf(context.model, parsed.query)
      const query = toQuery(parsed.query, slots, at)
      return { ...parsed, query, typeNos, isAlone: !hasInclude(context) }
    })
    const prepared = prepareOne(asked.viewer, question)
    const { view, known, typeNos, isAlone } = prepared.read
    reportIgnored(asked, known)
    const [entry] = (await content.readEntries(prepared)).entries
    if (!entry) throw notFound()
    const text = sendRecord(asked.reply, entry, view, !isAlone)
    return answerRead(asked, { text, typeNos })
  }
}

export function hasInclude({ parameters }: Context): boolean {
  return (parameters.words('include') ?? []).length > 0
}
