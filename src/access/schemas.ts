import Type, { type Static } from 'typebox'

// What travels over the wire under `/api/v1` (access contract §2, §6). Objects are closed: an
// unknown member is a typing error that its sender wants to hear of.

const CLOSED = { additionalProperties: false } as const

export const Access = Type.Enum(['read', 'write', 'admin'])
const Time = Type.String({ format: 'date-time' })
const TextOrNull = (maxLength: number) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength })
const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 64 })

const Email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' })
const Name = TextOrNull(200)
const Password = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 8,
  maxLength: 1024,
})
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const User = Type.Object({
  id: Type.Integer(),
  uuid: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Name,
  access: Access,
  status: Type.Enum(['active', 'disabled']),
  created_at: Time,
  updated_at: Time,
})

export const NewUser = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    access: Type.Optional(Access),
    password: Type.Optional(Password),
  },
  CLOSED,
)

export const UserChange = Type.Object(
  {
    email: Type.Optional(Email),
    name: Type.Optional(Name),
    access: Type.Optional(Access),
    status: Type.Optional(Type.Enum(['active', 'disabled'])),
    password: Type.Optional(Password),
  },
  CLOSED,
)

export const Plan = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  requests_per_month: Type.Integer({ description: '-1 is unlimited' }),
  requests_per_minute: Type.Integer({ description: '-1 is unlimited' }),
  endpoints: Type.Array(Type.String()),
  price_monthly: Type.Number(),
  currency: Type.String(),
  keys_per_user: Type.Integer(),
  created_at: Type.Optional(Time),
  updated_at: Type.Optional(Time),
})

const figures = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  requests_per_month: Type.Integer({ minimum: -1, maximum: 1e12 }),
  requests_per_minute: Type.Integer({ minimum: -1, maximum: 1e9 }),
  endpoints: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 500 }),
  price_monthly: Type.Union([Type.Number(), Type.String({ maxLength: 40 })]),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  keys_per_user: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
}

export const NewPlan = Type.Object(
  {
    name: figures.name,
    requests_per_month: figures.requests_per_month,
    requests_per_minute: figures.requests_per_minute,
    endpoints: Type.Optional(figures.endpoints),
    price_monthly: Type.Optional(figures.price_monthly),
    currency: Type.Optional(figures.currency),
    keys_per_user: Type.Optional(figures.keys_per_user),
  },
  CLOSED,
)

export type NewPlanBody = Static<typeof NewPlan>

export const PlanChange = Type.Partial(Type.Object(figures), CLOSED)
export type PlanChangeBody = Static<typeof PlanChange>

const keyMembers = {
  id: Type.Integer(),
  user_id: Type.Integer(),
  plan_id: Type.Integer(),
  name: Name,
  key_prefix: TextOrNull(8),
  access: Access,
  status: Type.Enum(['active', 'revoked', 'expired']),
  expires_at: TimeOrNull,
  created_at: Time,
  rotated_at: TimeOrNull,
  previous_key_prefix: TextOrNull(8),
  previous_valid_until: TimeOrNull,
}

export const Key = Type.Object({
  ...keyMembers,
  last_used_at: TimeOrNull,
  kind: Type.Optional(Type.Enum(['oauth', 'integration'])),
})

const { rotated_at, previous_key_prefix, previous_valid_until, ...issued } = keyMembers
const secret = { key: Type.String(), prefix: Type.String() }

/** The only answers that ever hold a raw key. */
export const IssuedKey = Type.Object({ ...issued, ...secret })
export const RotatedKey = Type.Object({ ...keyMembers, ...secret })

export const NewKey = Type.Object(
  {
    plan_id: Id,
    user_id: Type.Optional(Id),
    name: Type.Optional(Name),
    access: Type.Optional(Access),
    expires_at: Type.Optional(TimeOrNull),
  },
  CLOSED,
)

export const KeyChange = Type.Object(
  {
    name: Type.Optional(Name),
    plan_id: Type.Optional(Id),
    access: Type.Optional(Access),
    expires_at: Type.Optional(TimeOrNull),
  },
  CLOSED,
)

/** A body may be left out altogether. */
export const Rotation = Type.Union([
  Type.Object(
    { grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000 })) },
    CLOSED,
  ),
  Type.Null(),
])

export const Revocation = Type.Union([
  Type.Object({ reason: Type.Optional(TextOrNull(500)) }, CLOSED),
  Type.Null(),
])

export const Login = Type.Object(
  { email: Type.String({ maxLength: 254 }), password: Type.String({ maxLength: 1024 }) },
  CLOSED,
)

export const ResetRequest = Type.Object({ email: Type.String({ maxLength: 254 }) }, CLOSED)

export const NewPassword = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'What the link in the mail holds' }),
    password: Type.String({ minLength: 8, maxLength: 1024 }),
  },
  CLOSED,
)

export const SignIn = Type.Object({ user: User, expires_at: Time })
export const Ticket = Type.Object({ ticket: Type.String(), expires_at: Time })

const Limits = Type.Object({
  requests_per_month: Type.Integer(),
  requests_per_minute: Type.Integer(),
})

export const Me = Type.Object({
  user: User,
  access: Access,
  kind: Type.String(),
  key: Type.Union([Key, Type.Null()]),
  plan: Type.Union([Plan, Type.Null()]),
  limits: Type.Union([Limits, Type.Null()]),
})

export const SettingsChange = Type.Record(Type.String(), Type.Unknown())

export const Settings = Type.Record(
  Type.String(),
  Type.Object({ value: Type.Unknown(), origin: Type.String() }),
)
