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

// What travels below `/oauth`, for the description only: forms are read by `form.ts`.

const clientMembers = {
  client_id: Type.Optional(Type.String({ description: 'Unless the client uses HTTP Basic' })),
  client_secret: Type.Optional(Type.String()),
}

export const TokenForm = Type.Object({
  grant_type: Type.Literal('client_credentials'),
  scope: Type.Optional(
    Type.String({ description: 'Separated by spaces; all scopes of the client when left out' }),
  ),
  ...clientMembers,
})

export const AboutToken = Type.Object({ token: Type.String(), ...clientMembers })

export const TokenAnswer = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  scope: Type.String(),
})

export const TokenState = Type.Object({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  exp: Type.Optional(Type.Integer()),
  token_type: Type.Optional(Type.String()),
})

export const ServerMetadata = Type.Object({
  issuer: Type.String(),
  token_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  introspection_endpoint: Type.String(),
  grant_types_supported: Type.Array(Type.String()),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  scopes_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
})
