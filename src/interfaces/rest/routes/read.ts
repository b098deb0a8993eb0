import { typesOf } from '#content'
import { createCursors } from '#kernel'
import type { RestDeps } from '../deps.ts'
import { parseList, parseOne } from '../query.ts'
import { sendRecord } from './answer.ts'
import { createFinder } from './find.ts'
import { createKept } from './kept.ts'
import { sendPage } from './page.ts'
import { type Asked, reportIgnored } from './request.ts'
import type { Address } from './resource.ts'

/** Lists and single records. */
export function createReading(deps: RestDeps) {
  const { content, parseFilters, origin } = deps
  const cursors = createCursors({ key: deps.cursorKey })
  const finder = createFinder(content)
  const kept = createKept(content)
  return { list, one }

  function list(asked: Asked): Promise<Buffer> {
    const from = origin(asked.request)
    return kept(asked, from, async () => {
      const parsed = parseList(asked.context, { cursors, parseFilters })
      reportIgnored(asked, parsed.known)
      const page = await content.find(asked.viewer, parsed.query)
      const text = sendPage(asked, parsed, page, { cursors, origin: from })
      return { text, typeNos: typesOf(asked.resource.model, parsed.query) }
    })
  }

  function one(asked: Asked, address: Address): Promise<Buffer> {
    return kept(asked, '', async () => {
      const { query, view, known } = parseOne(asked.context)
      reportIgnored(asked, known)
      const entry = await finder.get(asked, address, query)
      const text = sendRecord(asked.reply, entry, view, hasInclude(asked))
      return { text, typeNos: typesOf(asked.resource.model, query) }
    })
  }
}

export function hasInclude({ context }: Asked): boolean {
  return (context.parameters.words('include') ?? []).length > 0
}
