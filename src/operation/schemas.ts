import Type from 'typebox'

const time = Type.String({ format: 'date-time' })
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })

export const NodeRecord = Type.Object({
  id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  roles: Type.Array(Type.String()),
  threads: Type.Integer({ description: 'Of the whole process; 1 where the system does not tell' }),
  gateway_threads: Type.Integer(),
  memory_bytes: Type.Integer({ description: 'Resident memory' }),
  started_at: time,
  seen_at: time,
  is_this: Type.Boolean({ description: 'The node that answers' }),
})

export const OverviewRecord = Type.Object({
  version: Type.String(),
  database: Type.String({ description: '`sqlite` or `postgres`' }),
  nodes: Type.Array(NodeRecord),
  storage: Type.Object({
    total_bytes: Type.Integer(),
    free_bytes: Type.Integer({ description: 'Left where the data directory of this node lies' }),
    parts: Type.Record(Type.String(), Type.Integer()),
  }),
  requests: Type.Array(
    Type.Object({
      at: time,
      requests: Type.Integer({ description: 'Answered by the API, with a key or without' }),
      errors: Type.Integer({ description: 'Of these with status 500 or above' }),
      gateway_requests: Type.Integer(),
      gateway_errors: Type.Integer(),
    }),
    { description: 'The last day in quarters of an hour, the current one last' },
  ),
  changes: Type.Array(
    Type.Object({
      event: Type.String(),
      type: Type.String(),
      document_id: Type.String(),
      locale: textOrNull,
      at: time,
    }),
  ),
  failing_webhooks: Type.Object({
    total: Type.Integer(),
    some: Type.Array(
      Type.Object({
        id: Type.String(),
        consumer_id: Type.String(),
        endpoint_url: Type.String(),
        is_active: Type.Boolean(),
        failure_count: Type.Integer(),
        disabled_reason: textOrNull,
      }),
    ),
  }),
  failing_upstreams: Type.Array(
    Type.Object({ upstream: Type.String(), host: Type.String(), port: Type.Integer() }),
    { description: 'Nodes of upstreams that this node of the gateway finds unhealthy' },
  ),
  runs: Type.Object({
    total: Type.Integer(),
    some: Type.Array(
      Type.Object({
        id: Type.Integer(),
        scraper_id: Type.Integer(),
        scraper: Type.String(),
        status: Type.String(),
        started_at: time,
        items_collected: Type.Integer(),
        pages_fetched: Type.Integer(),
      }),
    ),
  }),
})

/** One line of the log with whatever members it has. */
export const LogLineRecord = Type.Object(
  {
    level: Type.String(),
    time,
    thread: Type.String(),
    msg: Type.String(),
  },
  { additionalProperties: true },
)

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

export const LogQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    level: Type.Enum([...LEVELS], { default: 'debug', description: 'This one and above' }),
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of the line, in any case of letters' }),
    ),
  },
  { additionalProperties: false },
)

export const LogStreamQuery = Type.Object({
  level: Type.Enum([...LEVELS], { default: 'debug', description: 'This one and above' }),
})

export const BackupRecord = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  created_at: time,
})

export const BackupState = Type.Object({
  running_since: textOrNull,
  failed_at: textOrNull,
  missing_files: Type.Integer({
    description:
      'Files that the last backup since the start lacks, because they lie in the directory of a node that does not run',
  }),
})
