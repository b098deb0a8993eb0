import type { ContentType } from '#content-model'
import type { RestContent } from '../deps.ts'
import { splitQuery } from '../query/parameters.ts'
import { parseOne } from '../query/parse.ts'
import { renderRecord } from '../render/entry.ts'

/**
 * One live entry as `GET /api/v1/<type>/<id>` shows it to a key of level `read`, for who tells others
 * of it; undefined when there is none.
 */
export async function readEntryText(
  { model, findOne }: Pick<RestContent, 'model' | 'findOne'>,
  { type, id }: { readonly type: ContentType; readonly id: number },
): Promise<string | undefined> {
  const context = {
    model: model(),
    type,
    version: 1,
    parameters: splitQuery('', true).read(),
  } as const
  const { query, view } = parseOne(context)
  const entry = await findOne({ level: 'read' }, query, { id })
  return entry && renderRecord(entry, view)
}
