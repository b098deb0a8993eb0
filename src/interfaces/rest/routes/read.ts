import { createCursors } from '#kernel'
import type { RestDeps } from '../deps.ts'
import { parseList, parseOne } from '../query.ts'
import { sendRecord } from './answer.ts'
import { createFinder, sendPage } from './find.ts'
import { type Asked, reportIgnored } from './request.ts'
import type { Address } from './resource.ts'

/** Lists and single records. */
export function createReading(deps: RestDeps) {
  const { content, parseFilters, origin } = deps
  const cursors = createCursors({ key: deps.cursorKey })
  const finder = createFinder(content)
  return { list, one }

  async function list(asked: Asked): Promise<string> {
    const parsed = parseList(asked.context, { cursors, parseFilters })
    reportIgnored(asked, parsed.known)
    const page = await content.find(asked.viewer, parsed.query)
    return sendPage(asked, parsed, page, { cursors, origin: origin(asked.request) })
  }

  async function one(asked: Asked, address: Address): Promise<string> {
    const { query, view, known } = parseOne(asked.context)
    reportIgnored(asked, known)
    const entry = await finder.get(asked, address, query)
    return sendRecord(asked.reply, entry, view, hasInclude(asked))
  }
}

export function hasInclude({ context }: Asked): boolean {
  return (context.parameters.words('include') ?? []).length > 0
}
