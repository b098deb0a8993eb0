import Type from 'typebox'
import type { About } from './kinds.ts'

/** Names that content delivery has already (its contract §6). */
const TAKEN = [
  ...['contentType', 'name', 'createDate', 'updateDate', 'id', 'level', 'sortOrder', 'properties'],
]
const TAKEN_LOWER = new Set(TAKEN.map((name) => name.toLowerCase()))
const FIELD_TYPES = ['StringRaw', 'StringAnalyzed', 'StringSortable', 'Number', 'Date'] as const

const indexField = Type.Object(
  {
    FieldName: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,59}$' }),
    FieldType: Type.Enum([...FIELD_TYPES]),
    VariesByCulture: Type.Optional(Type.Boolean()),
    Source: Type.String({
      pattern: '^(properties\\.[A-Za-z][A-Za-z0-9_]{0,59}|name|createDate|updateDate)$',
    }),
  },
  { additionalProperties: false },
)

/** Fields registered for filter and sort; a name that is taken would mean two things. */
export function indexFields(description: string, about: About) {
  const expects = [
    'a list of fields such as {"FieldName":"releaseDay","FieldType":"Date",',
    '"VariesByCulture":false,"Source":"properties.releasedAt"}',
    `, each name once and none of the built-in ${TAKEN.join(', ')}`,
  ].join('')
  const list = Type.Array(indexField, { ...about, description, expects, maxItems: 100 })
  return Type.Refine(list, (fields) => {
    const names = fields.map(({ FieldName }) => FieldName.toLowerCase())
    return new Set(names).size === names.length && !names.some((name) => TAKEN_LOWER.has(name))
  })
}
