import Type, { type Static } from 'typebox'

const id = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
const instant = (description: string) => Type.String({ description })

const scope = {
  key_id: Type.Optional(
    id('Only this key; by default the calling key, with a sign-in all own keys together'),
  ),
  user_id: Type.Optional(id('All keys of this user; for admins')),
}
const range = {
  from: Type.Optional(instant('A date in UTC, or a date-time with a zone')),
  to: Type.Optional(instant('A date in UTC, or a date-time with a zone; not included')),
}

const wide = {
  ...scope,
  scope: Type.Optional(
    Type.Enum(['all', 'plan'], {
      description: 'All keys together, or those that have the plan `plan_id`; for admins',
    }),
  ),
  plan_id: Type.Optional(id('With scope=plan')),
}

export const figuresQuery = Type.Object(wide)

export const seriesQuery = Type.Object({
  ...wide,
  ...range,
  interval: Type.Enum(['minute', 'hour', 'day'], { default: 'hour' }),
})

export const endpointsQuery = Type.Object({ ...wide, ...range })

export const breakdownQuery = Type.Object({
  ...range,
  by: Type.Enum(['key', 'user', 'plan'], { default: 'key' }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
})

export const invoicesQuery = Type.Object({
  month: Type.Optional(Type.String({ description: '2026-03; by default the current month' })),
  format: Type.Optional(Type.Enum(['json', 'csv'], { default: 'json' })),
  csv_safe: Type.Boolean({
    default: true,
    description: 'Text that a spreadsheet would take for a formula is preceded by an apostrophe',
  }),
})

export const recordsQuery = Type.Object({
  ...scope,
  ...range,
  status_code: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  endpoint: Type.Optional(
    Type.String({ maxLength: 1000, description: 'As in the records, /api/v1/articles/{id}' }),
  ),
  format: Type.Optional(
    Type.Enum(['json', 'ndjson', 'csv'], {
      description: 'ndjson and csv hold all records and are streamed; else Accept decides',
    }),
  ),
  csv_safe: Type.Boolean({
    default: true,
    description: 'Text that a spreadsheet would take for a formula is preceded by an apostrophe',
  }),
  after_id: Type.Optional(Type.String({ description: 'The records before this one in time' })),
  before_id: Type.Optional(Type.String({ description: 'The records after this one in time' })),
  limit: Type.Optional(Type.String({ description: '1 to 1000, 20 by default' })),
})

export type RecordsQuery = Static<typeof recordsQuery>

export const streamQuery = Type.Object({
  ...scope,
  last_event_id: Type.Optional(
    Type.String({ description: 'Where the header Last-Event-ID cannot be sent' }),
  ),
})

export const invoiceQuery = Type.Object({
  ...scope,
  month: Type.Optional(Type.String({ description: '2026-03; by default the current month' })),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'Only what is paid in this currency, where plans have several',
    }),
  ),
})

const orNull = <T extends Type.TSchema>(type: T) => Type.Union([type, Type.Null()])
const time = Type.String({ format: 'date-time' })

const figures = Type.Object({
  today: Type.Integer({ description: 'Requests served in this UTC day' }),
  month: Type.Integer({ description: 'What they cost in this UTC month, usually 1 each' }),
  monthLimit: orNull(Type.Integer()),
  avgResponseMs: Type.Integer(),
  remaining: orNull(Type.Integer()),
  minute: Type.Integer(),
  minuteLimit: orNull(Type.Integer()),
  rejectedToday: Type.Integer({ description: 'Refused by a limit' }),
  resetsAt: time,
})

const totals = {
  requests: Type.Integer({ description: 'Served' }),
  errors: Type.Integer({ description: 'Served, answered with 400 or above' }),
  rejected: Type.Integer({ description: 'Refused by a limit' }),
  avgResponseMs: Type.Integer(),
}

const usageRecord = Type.Object({
  id: Type.Integer(),
  api_key_id: Type.Integer(),
  endpoint: Type.String(),
  method: Type.String(),
  status_code: Type.Integer(),
  response_ms: Type.Integer(),
  created_at: time,
  counted: Type.Boolean({ description: 'Let through by the limits, so it consumed quota' }),
  cost: Type.Integer({ description: 'What it added to the month' }),
  request_id: Type.String(),
})

export type UsageRecordBody = Static<typeof usageRecord>

const rangeMeta = { from: time, to: time }

export const figuresBody = Type.Object({ data: figures })

export const seriesBody = Type.Object({
  data: Type.Array(Type.Object({ at: time, ...totals })),
  meta: Type.Object({ interval: Type.String(), ...rangeMeta }),
})

export const endpointsBody = Type.Object({
  data: Type.Array(
    Type.Object({
      endpoint: Type.String(),
      method: Type.String(),
      ...totals,
      p50ResponseMs: Type.Integer(),
      p95ResponseMs: Type.Integer(),
      p99ResponseMs: Type.Integer(),
    }),
  ),
  meta: Type.Object(rangeMeta),
})

const recordsBody = Type.Object({
  data: Type.Array(usageRecord),
  meta: Type.Object({
    limit: Type.Integer(),
    after_id: orNull(Type.Integer()),
    next_after_id: orNull(Type.Integer()),
    has_more: Type.Boolean(),
  }),
})

const wholeFile = { schema: Type.String({ description: 'All records, one per line' }) }

export const recordsContent = {
  'application/json': { schema: recordsBody },
  'application/x-ndjson': wholeFile,
  'text/csv': wholeFile,
}

export const invoiceBody = Type.Object({
  data: Type.Object({
    month: Type.String(),
    currency: Type.String(),
    lines: Type.Array(
      Type.Object({
        key_id: Type.Integer(),
        plan_id: Type.Integer(),
        plan: Type.String(),
        from: time,
        to: time,
        days: Type.Integer(),
        amount: Type.Number(),
      }),
    ),
    requests: Type.Integer(),
    total: Type.Number(),
    estimated: Type.Boolean(),
  }),
})

const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const breakdownBody = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Of the key, user or plan' }),
      name: textOrNull,
      ...totals,
    }),
  ),
  meta: Type.Object({ by: Type.String(), total: Type.Integer(), ...rangeMeta }),
})

const invoicesBody = Type.Object({
  data: Type.Array(
    Type.Object({
      user_id: Type.Integer(),
      user: textOrNull,
      currency: Type.String(),
      keys: Type.Integer({ description: 'That are paid for in the month' }),
      requests: Type.Integer(),
      total: Type.Number(),
    }),
  ),
  meta: Type.Object({ month: Type.String(), estimated: Type.Boolean() }),
})

export const invoicesContent = {
  'application/json': { schema: invoicesBody },
  'text/csv': { schema: Type.String({ description: 'The same, one line for each' }) },
}
