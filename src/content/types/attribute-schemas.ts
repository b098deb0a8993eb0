import Type, { type TObject } from 'typebox'
import { FIELD_KINDS } from '../fields/index.ts'

const MEDIA_CLASSES = ['images', 'videos', 'audios', 'files']
export const RELATION_KINDS = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const
const MOST_PARTS = 1_000
/** Each kind of component costs a question of the store whenever its zone is shown. */
const MOST_KINDS = 50

const Name = Type.String({ minLength: 1, maxLength: 120 })
const Flag = Type.Optional(Type.Boolean())

/** Options that every attribute has. */
const COMMON = {
  type: Type.String(),
  required: Flag,
  private: Flag,
  searchable: Flag,
  localized: Flag,
  renamedFrom: Type.Optional(Name),
  pluginOptions: Type.Optional(
    Type.Object({
      i18n: Type.Optional(Type.Object({ localized: Flag })),
    }),
  ),
}

const SCALAR = {
  unique: Flag,
  unversioned: Flag,
  default: Type.Optional(Type.Unknown()),
}

const MEDIA = {
  multiple: Flag,
  allowedTypes: Type.Optional(
    Type.Array(Type.Enum(MEDIA_CLASSES), { minItems: 1, uniqueItems: true }),
  ),
}

const RELATION = {
  relation: Type.Enum([...RELATION_KINDS]),
  target: Name,
  inversedBy: Type.Optional(Name),
  mappedBy: Type.Optional(Name),
  targetAttribute: Type.Optional(Name),
}

const COUNTS = {
  min: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_PARTS })),
  max: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_PARTS })),
}

const COMPONENT = { component: Name, repeatable: Flag, ...COUNTS }

const ZONE = {
  components: Type.Array(Name, { minItems: 1, maxItems: MOST_KINDS, uniqueItems: true }),
  ...COUNTS,
}

function closed(own: TObject['properties']): TObject {
  return Type.Object({ ...COMMON, ...own }, { additionalProperties: false })
}

/** The schema of one attribute's definition, by its type. */
export const ATTRIBUTE_SCHEMAS: ReadonlyMap<string, TObject> = new Map([
  ...Object.values(FIELD_KINDS).map(
    ({ type, options }) => [type, closed({ ...SCALAR, ...options.properties })] as const,
  ),
  ['media', closed(MEDIA)] as const,
  ['relation', closed(RELATION)] as const,
  ['component', closed(COMPONENT)] as const,
  ['dynamiczone', closed(ZONE)] as const,
])
