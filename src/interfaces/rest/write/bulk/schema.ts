import Type, { type Static } from 'typebox'

const MAX_OPERATIONS = 500
export const BULK_BYTES = 5 * 1024 * 1024

const CLOSED = { additionalProperties: false } as const
const Data = Type.Record(Type.String(), Type.Unknown())
const Id = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 64 })])

const Operation = Type.Union([
  Type.Object({ op: Type.Literal('create'), data: Data }, CLOSED),
  Type.Object(
    {
      op: Type.Literal('upsert'),
      key: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
      data: Data,
    },
    CLOSED,
  ),
  Type.Object({ op: Type.Literal('update'), id: Id, data: Data }, CLOSED),
  Type.Object({ op: Type.Literal('delete'), id: Id }, CLOSED),
])

export const BulkBody = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean()),
    operations: Type.Array(Operation, { maxItems: MAX_OPERATIONS }),
  },
  CLOSED,
)

export type Operation = Static<typeof Operation>
export type BulkRequest = Static<typeof BulkBody>
