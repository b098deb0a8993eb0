import type { Log } from '#kernel'
import type { ContentModel } from '../model.ts'
import { isReservedTypeName } from './names.ts'

/**
 * A name may be reserved by a later version of the server than the one a type was made with. The type
 * stays, and is served everywhere but under the path that has another meaning now.
 */
export function warnOfShadowed({ types }: ContentModel, log: Log): void {
  for (const { kind, singularName, pluralName } of types) {
    const word = kind === 'singleType' ? singularName : pluralName
    if (!isReservedTypeName(word)) continue
    const about = { contentType: singularName, path: `/api/v1/${word}` }
    log.warn(
      about,
      "a content type has a reserved name: this path is the server's own; rename the type",
    )
  }
}
