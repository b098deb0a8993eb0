import Type, { type Static } from 'typebox'

const CLOSED = { additionalProperties: false } as const
const Name = Type.String({ minLength: 1, maxLength: 100 })
const CodeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 20 })

export const NewLocale = Type.Object(
  {
    code: Type.String({ maxLength: 20 }),
    name: Name,
    isDefault: Type.Optional(Type.Boolean()),
    fallback: Type.Optional(CodeOrNull),
  },
  CLOSED,
)

export const LocaleChange = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 20 })),
    name: Type.Optional(Name),
    isDefault: Type.Optional(Type.Boolean()),
    fallback: Type.Optional(CodeOrNull),
  },
  CLOSED,
)

export type NewLocaleBody = Static<typeof NewLocale>
export type LocaleChangeBody = Static<typeof LocaleChange>

export const LocaleRecord = Type.Object({
  id: Type.Integer(),
  code: Type.String(),
  name: Type.String(),
  isDefault: Type.Boolean(),
  fallback: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
})
