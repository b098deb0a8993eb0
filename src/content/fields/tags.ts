import Type from 'typebox'
import type { JsonValue } from '../json.ts'
import type { TagsAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { accepted, refused } from './support/results.ts'
import { parseBoundedText, parseTextFilter } from './support/text.ts'

const MOST = 100
const LONGEST = 255

/** A short list of words. Filters ask for membership, of which `content_tags` keeps the rows. */
export const tags: FieldKind<TagsAttribute> = {
  type: 'tags',
  wireKind: 'words',
  options: Type.Object({
    enum: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: LONGEST }), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
      }),
    ),
  }),
  column: { kind: 'text', compared: false, folded: false, indexed: false },
  searched: true,
  openapi: () => ({ type: 'array', items: { type: 'string' } }),
  parse(value, attribute) {
    if (!Array.isArray(value)) return refused('type', 'must be a list of texts')
    const distinct = new Set<string>()
    for (const item of value) {
      const tag = parseTag(item, attribute)
      if (!tag.ok) return tag
      distinct.add(tag.value)
      if (distinct.size > MOST) return refused('maxItems', `must have at most ${MOST} tags`)
    }
    return accepted([...distinct])
  },
  checkLive: () => undefined,
  toColumn: (value) => JSON.stringify(value),
  fromColumn: (stored): JsonValue => JSON.parse(String(stored)),
  parseFilter: parseTextFilter,
}

function parseTag(value: unknown, attribute: TagsAttribute): FieldResult<string> {
  const tag = parseBoundedText(value, {}, LONGEST)
  if (!tag.ok) return refused(tag.rule, `must be a list of texts of at most ${LONGEST} characters`)
  if (tag.value === '') return refused('type', 'must not contain an empty tag')
  if (attribute.enum && !attribute.enum.includes(tag.value)) {
    return refused('enum', `may contain only ${attribute.enum.join(', ')}`)
  }
  return tag
}
