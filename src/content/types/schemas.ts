import Type, { type Static } from 'typebox'
import { OPERATIONS } from '../permissions.ts'

// What travels over the wire under `/api/v1/content-types` and `/components` (content model §3,
// §11). Attributes are checked one by one by their kind, so that every fault is told with its path.

const CLOSED = { additionalProperties: false } as const

const Text = (maxLength: number) => Type.String({ maxLength })
const Flag = Type.Optional(Type.Boolean())

const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Attributes by name, in the order in which entries show them',
})

const PluginOptions = Type.Optional(
  Type.Object({ i18n: Type.Optional(Type.Object({ localized: Flag })) }),
)

/** Sent back unchanged they are accepted. */
const READ_ONLY = {
  uid: Type.Optional(Type.String()),
  uuid: Type.Optional(Type.String()),
  createdAt: Type.Optional(Type.String()),
  updatedAt: Type.Optional(Type.String()),
  changing: Type.Optional(Type.Array(Type.String())),
}

const Operations = Type.Optional(
  Type.Array(Type.Enum([...OPERATIONS]), { maxItems: OPERATIONS.length, uniqueItems: true }),
)

const PermissionsGiven = Type.Optional(
  Type.Object(
    { public: Operations, read: Operations, write: Operations },
    {
      ...CLOSED,
      description:
        'What callers without a key and keys of each level may do with entries, besides what lower levels may; administrators may do everything',
    },
  ),
)

const TYPE_MEMBERS = {
  kind: Type.Optional(Type.Enum(['collectionType', 'singleType'])),
  displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  description: Type.Optional(Text(1_000)),
  draftAndPublish: Flag,
  localized: Flag,
  publicRead: Flag,
  permissions: PermissionsGiven,
  displayField: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  entityType: Type.Optional(Text(200)),
  bundle: Type.Optional(Text(200)),
  pluginOptions: PluginOptions,
  ...READ_ONLY,
}

export const NewContentType = Type.Object(
  {
    singularName: Text(200),
    pluralName: Text(200),
    ...TYPE_MEMBERS,
    attributes: Type.Optional(Attributes),
  },
  CLOSED,
)

export const ContentTypeChange = Type.Object(
  {
    singularName: Type.Optional(Text(200)),
    pluralName: Type.Optional(Text(200)),
    ...TYPE_MEMBERS,
    attributes: Type.Optional(Attributes),
  },
  CLOSED,
)

const COMPONENT_MEMBERS = {
  category: Type.Optional(Text(200)),
  displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  description: Type.Optional(Text(1_000)),
  ...READ_ONLY,
  attributes: Type.Optional(Attributes),
}

export const NewComponent = Type.Object({ name: Text(200), ...COMPONENT_MEMBERS }, CLOSED)

export const ComponentChange = Type.Object(
  { name: Type.Optional(Text(200)), ...COMPONENT_MEMBERS },
  CLOSED,
)

export const Batch = Type.Object(
  {
    contentTypes: Type.Optional(Type.Array(NewContentType, { maxItems: 100 })),
    components: Type.Optional(Type.Array(NewComponent, { maxItems: 100 })),
  },
  CLOSED,
)

export type NewContentTypeBody = Static<typeof NewContentType>
export type ContentTypeChangeBody = Static<typeof ContentTypeChange>
export type NewComponentBody = Static<typeof NewComponent>
export type ComponentChangeBody = Static<typeof ComponentChange>
export type BatchBody = Static<typeof Batch>

const Time = Type.String({ format: 'date-time' })

export const ContentTypeRecord = Type.Object({
  uid: Type.String(),
  uuid: Type.String({ format: 'uuid' }),
  kind: Type.String(),
  singularName: Type.String(),
  pluralName: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  draftAndPublish: Type.Boolean(),
  localized: Type.Boolean(),
  publicRead: Type.Boolean(),
  permissions: Type.Object({
    public: Type.Array(Type.String()),
    read: Type.Array(Type.String()),
    write: Type.Array(Type.String()),
  }),
  displayField: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  entityType: Type.String(),
  bundle: Type.String(),
  attributes: Type.Object({}, { additionalProperties: true }),
  createdAt: Time,
  updatedAt: Time,
  changing: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What of the type is being changed, entry by entry. Until that is done the definition above holds',
    }),
  ),
})

export const ComponentRecord = Type.Object({
  uid: Type.String(),
  category: Type.String(),
  name: Type.String(),
  displayName: Type.String(),
  description: Type.String(),
  attributes: Type.Object({}, { additionalProperties: true }),
})

/** What a change would do to stored entries. */
export const Changes = Type.Object({
  changes: Type.Array(
    Type.Object({
      attribute: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      contentType: Type.Optional(Type.String()),
      component: Type.Optional(Type.String()),
      member: Type.Optional(Type.String()),
      action: Type.Enum(['add', 'change', 'remove']),
      entriesAffected: Type.Integer(),
      entriesByStatus: Type.Optional(
        Type.Object(
          { draft: Type.Integer(), changed: Type.Integer() },
          { description: 'Where drafts go: entries never published, and newer working copies' },
        ),
      ),
      lossy: Type.Boolean(),
    }),
  ),
})

const Imported = Type.Array(
  Type.Object({ name: Type.String(), action: Type.Enum(['create', 'change']) }),
)

/** What became, or would become, of schema files. */
export const ImportReport = Type.Object({
  contentTypes: Imported,
  components: Imported,
  notes: Type.Array(
    Type.Object({
      contentType: Type.Optional(Type.String()),
      component: Type.Optional(Type.String()),
      attribute: Type.Optional(Type.String()),
      message: Type.String(),
    }),
    { description: 'What has no counterpart here, or another name' },
  ),
  changes: Changes.properties.changes,
})

export const ChangeParameters = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ description: 'Change nothing; answer what would happen' })),
  force: Type.Optional(Type.Boolean({ description: 'Do it although stored values are lost' })),
})
