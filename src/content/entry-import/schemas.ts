import Type, { type Static } from 'typebox'

const MOST_RECORDS = 200
/** Of one request; entries with long texts come in several. */
export const IMPORT_BYTES = 5 * 1024 * 1024

const CLOSED = { additionalProperties: false } as const
const Time = Type.String({ format: 'date-time', maxLength: 40 })
const Values = Type.Record(Type.String(), Type.Unknown())

const Working = Type.Object({ values: Values, updated_at: Type.Optional(Time) }, CLOSED)

const Live = Type.Object(
  { values: Values, updated_at: Type.Optional(Time), published_at: Type.Optional(Time) },
  CLOSED,
)

const ImportRecord = Type.Object(
  {
    document_id: Type.String({ format: 'uuid' }),
    locale: Type.Optional(Type.String({ maxLength: 20 })),
    external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    created_at: Type.Optional(Time),
    live: Type.Optional(Type.Union([Live, Type.Null()])),
    working: Type.Optional(Working),
  },
  CLOSED,
)

export const ImportBody = Type.Object(
  { records: Type.Array(ImportRecord, { minItems: 1, maxItems: MOST_RECORDS }) },
  CLOSED,
)

export const ImportAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      index: Type.Integer(),
      status: Type.Integer(),
      id: Type.Optional(Type.Integer()),
      unchanged: Type.Optional(Type.Boolean()),
      error: Type.Optional(Type.Unknown()),
    }),
  ),
})

export type ImportRecord = Static<typeof ImportRecord>
