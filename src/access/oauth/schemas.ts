import Type from 'typebox'
import { Access } from '../schemas.ts'

// OAuth clients as they travel under `/api/v1/oauth/clients` (access contract §5).

const CLOSED = { additionalProperties: false } as const

const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Scopes = Type.Array(Access, { minItems: 1, maxItems: 3, uniqueItems: true })
const Time = Type.String({ format: 'date-time' })

const members = {
  id: Type.Integer(),
  client_id: Type.String(),
  name: Type.String(),
  user_id: Type.Integer(),
  plan_id: Type.Integer(),
  api_key_id: Type.Integer({ description: 'The key record its requests are counted on' }),
  scopes: Type.Array(Access),
  disabled: Type.Boolean(),
  secret_rotated_at: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  created_at: Time,
  updated_at: Time,
}

export const Client = Type.Object(members)

/** The only answers that ever hold a client's secret. */
export const IssuedClient = Type.Object({ ...members, client_secret: Type.String() })

export const NewClient = Type.Object(
  {
    name: Name,
    plan_id: Id,
    user_id: Type.Optional(Id),
    scopes: Type.Optional(Scopes),
  },
  CLOSED,
)

export const ClientChange = Type.Object(
  {
    name: Type.Optional(Name),
    plan_id: Type.Optional(Id),
    scopes: Type.Optional(Scopes),
    disabled: Type.Optional(Type.Boolean()),
  },
  CLOSED,
)
