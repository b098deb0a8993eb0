import type { Log } from '#kernel'
import type { ContentModel } from '../model.ts'
import { isReservedTypeName } from './names.ts'

/** Attributes of these names could once be made. */
const LATER_RESERVED = ['revisions', 'publish_at', 'unpublish_at']
const SHADOWED_ATTRIBUTE =
  "an attribute has a reserved name: it keeps its values, but /api/v1 has no path of its own for it, nor the server's meaning of the name; rename it"

/**
 * A name may be reserved by a later version of the server than the one a type was made with. The type
 * stays, and is served everywhere but under the path that has another meaning now.
 */
export function warnOfShadowed({ types }: ContentModel, log: Log): void {
  for (const { kind, singularName, pluralName, attribute } of types) {
    for (const name of LATER_RESERVED) {
      if (!attribute.has(name)) continue
      log.warn({ contentType: singularName, attribute: name }, SHADOWED_ATTRIBUTE)
    }
    const word = kind === 'singleType' ? singularName : pluralName
    if (!isReservedTypeName(word)) continue
    const about = { contentType: singularName, path: `/api/v1/${word}` }
    log.warn(
      about,
      "a content type has a reserved name: this path is the server's own; rename the type",
    )
  }
}
