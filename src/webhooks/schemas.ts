import Type, { type TSchema } from 'typebox'

// For the reference: bodies are checked by the parsers in `*-input.ts`, which report every problem
// at once and ignore what they do not know (webhooks contract §2.2).

const Time = Type.String({ format: 'date-time' })
const TextOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
const Names = Type.Unsafe<readonly string[]>(Type.Array(Type.String()))
const AnyObject = Type.Object({}, { additionalProperties: true })
const NumberOrNull = Type.Unsafe<number | null>({ type: ['number', 'null'] })

export const listOf = <S extends TSchema>(schema: S) =>
  Type.Object({ data: Type.Array(schema), meta: AnyObject })

export const Subscription = Type.Object({
  id: Type.String({ format: 'uuid' }),
  consumer_id: Type.String({ format: 'uuid' }),
  endpoint_url: Type.String(),
  description: TextOrNull,
  events: Names,
  event_patterns: Names,
  filter: Type.Unsafe<unknown>({ type: ['array', 'null'], items: {} }),
  include_entry: Type.Boolean(),
  is_active: Type.Boolean(),
  headers: AnyObject,
  timeout_seconds: Type.Integer(),
  ordered: Type.Boolean(),
  max_per_second: NumberOrNull,
  auto_resume: Type.Boolean(),
  created_at: Time,
  updated_at: Time,
  last_delivery_at: TimeOrNull,
  failure_count: Type.Integer(),
  disabled_at: TimeOrNull,
  disabled_reason: TextOrNull,
  secret_rotated_at: TimeOrNull,
  source: Type.String(),
  last_probe: Type.Unsafe<unknown>({ type: ['object', 'null'], additionalProperties: true }),
})

const members = {
  endpoint_url: Type.String({ maxLength: 2_048, description: 'absolute http or https URL' }),
  events: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 200,
      description: 'names, or *; required unless event_patterns says what is subscribed to',
    }),
  ),
  event_patterns: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 20,
      description: 'names in which * stands for one or more segments: order.*, *.published',
    }),
  ),
  filter: Type.Optional(
    Type.Unsafe<unknown>({
      type: ['array', 'null'],
      maxItems: 20,
      description: 'conditions on the data of an event; it is delivered when all of them hold',
      items: Type.Object({
        path: Type.String({ description: 'member of the data: customer.address.city' }),
        op: Type.Enum([
          ...['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte'],
          ...['exists', 'contains', 'starts_with'],
        ]),
        value: Type.Unknown(),
      }),
    }),
  ),
  include_entry: Type.Optional(
    Type.Boolean({ description: 'content events carry the entry as data.entry' }),
  ),
  description: Type.Optional(TextOrNull),
  headers: Type.Optional(AnyObject),
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  is_active: Type.Optional(Type.Boolean()),
  ordered: Type.Optional(
    Type.Boolean({ description: 'one delivery at a time, each after the former one is final' }),
  ),
  max_per_second: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: 0.1,
      maximum: 1_000,
      description: 'requests at most, evenly spaced',
    }),
  ),
  auto_resume: Type.Optional(
    Type.Boolean({ description: 'try a disabled endpoint again and go on when it answers' }),
  ),
}

export const NewSubscription = Type.Object({
  ...members,
  secret: Type.Optional(Type.String({ minLength: 32, maxLength: 32 })),
})
export const SubscriptionChange = Type.Partial(
  Type.Object({ ...members, held_deliveries: Type.Enum(['release', 'discard']) }),
)

export const CreatedSubscription = Type.Object({
  id: Type.String({ format: 'uuid' }),
  endpoint_url: Type.String(),
  events: Names,
  event_patterns: Type.Optional(Names),
  secret: Type.String(),
  created_at: Time,
  test_sent: Type.Boolean(),
})

export const Rotation = Type.Object({
  secret: Type.String(),
  valid_until: Time,
  note: Type.String(),
})

export const Verification = Type.Object({ headers: AnyObject, body: Type.String() })
export const Verdict = Type.Object({
  valid: Type.Boolean(),
  matched: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
})

export const TestRequest = Type.Object({ event_type: Type.Optional(Type.String()) })

export const EventType = Type.Object({
  name: Type.String(),
  description: TextOrNull,
  example_payload: Type.Unknown(),
  schema: Type.Unknown(),
  is_active: Type.Boolean(),
  visibility: Type.Enum(['all', 'owner', 'staff', 'live']),
  built_in: Type.Boolean(),
})

export const NewEventType = Type.Object({
  name: Type.String({ maxLength: 100 }),
  description: Type.Optional(TextOrNull),
  example_payload: Type.Optional(Type.Unknown()),
  schema: Type.Optional(
    Type.Unsafe<unknown>({
      type: ['object', 'null'],
      description: 'JSON Schema that published payloads must fit; references only within it',
    }),
  ),
  is_active: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(Type.Enum(['all', 'owner', 'staff', 'live'])),
})

export const Publication = Type.Object({
  event_type: Type.String(),
  payload: AnyObject,
  consumer_id: Type.Optional(TextOrNull),
  occurred_at: Type.Optional(TimeOrNull),
})

export const PublishedEvent = Type.Object({
  id: Type.String(),
  event_type: Type.String(),
  created_at: Time,
})

export const Batch = Type.Object({
  events: Type.Array(Publication, { minItems: 1, maxItems: 1_000 }),
})

export const PublishedBatch = Type.Object({
  data: Type.Array(PublishedEvent),
  meta: Type.Object({ total: Type.Integer() }),
})

export const Event = Type.Object({
  id: Type.String(),
  event_type: Type.String(),
  payload: AnyObject,
  consumer_id: TextOrNull,
  occurred_at: Time,
  created_at: Time,
  deliveries: AnyObject,
})

export const Delivery = Type.Object({
  id: Type.String({ format: 'uuid' }),
  subscription_id: Type.String({ format: 'uuid' }),
  event_id: Type.String(),
  event_type: Type.String(),
  sequence: NumberOrNull,
  is_test: Type.Boolean(),
  status: Type.Enum(['pending', 'succeeded', 'failed', 'held', 'cancelled']),
  attempt_count: Type.Integer(),
  next_attempt_at: TimeOrNull,
  created_at: Time,
  completed_at: TimeOrNull,
  last_status_code: NumberOrNull,
  last_error: Type.Unsafe<unknown>({ type: ['object', 'null'], additionalProperties: true }),
  payload: Type.Optional(Type.Unknown()),
  attempts: Type.Optional(Type.Array(AnyObject)),
})

export const Stats = Type.Object({
  pending: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  held: Type.Integer(),
  p50_ms: NumberOrNull,
  p95_ms: NumberOrNull,
  oldest_pending_at: TimeOrNull,
})

export const ReplayRequest = Type.Object({
  since: Time,
  until: Type.Optional(TimeOrNull),
  scope: Type.Optional(Type.Enum(['failed', 'missed', 'all'])),
  event_types: Type.Optional(Type.Unsafe<unknown>({ type: ['array', 'null'] })),
})

export const Anything = AnyObject
