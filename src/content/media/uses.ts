/** Where files are used. */
import type { Kysely } from 'kysely'
import type { AccessLevel } from '#kernel'
import { type Component, type ContentModel, type ContentType, componentsOf } from '../model.ts'
import { may } from '../permissions.ts'
import type { ContentTables } from '../tables.ts'

/** One attribute of one copy of an entry that refers to a file. */
export interface FileUse {
  readonly fileUuid: string
  readonly type: ContentType
  readonly entryId: number
  readonly documentId: string
  readonly locale: string
  /** Of the attribute, in the entry itself or in a component of it. */
  readonly field: string
  readonly component: string | null
  readonly isLive: boolean
  readonly isWorking: boolean
}

/** Those that a caller may know of, by type and entry; at most `limit` of each type. */
export async function findUses(
  db: Kysely<ContentTables>,
  { model, level }: { readonly model: ContentModel; readonly level: AccessLevel | null },
  fileUuids: readonly string[],
  limit: number,
): Promise<readonly FileUse[]> {
  if (fileUuids.length === 0) return []
  const found: FileUse[] = []
  for (const type of model.types.filter((each) => may(level, each, 'read'))) {
    const fields = mediaFieldsOf(model, type)
    if (fields.size === 0) continue
    const rows = await db
      .selectFrom('content_links as link')
      .innerJoin(`${type.table} as copy`, 'copy.copy_no', 'link.owner_copy')
      .select(['link.target', 'link.attribute_no', 'copy.id', 'copy.document_id'])
      .select(['copy.locale', 'copy.live', 'copy.work'])
      .where('link.target', 'in', fileUuids)
      .where('link.attribute_no', 'in', [...fields.keys()])
      .orderBy('copy.id')
      .orderBy('copy.copy_no')
      .limit(limit)
      .execute()
    for (const row of rows) {
      const { field = '', component = null } = fields.get(row.attribute_no) ?? {}
      found.push({
        ...{ fileUuid: row.target, type, entryId: row.id, documentId: row.document_id },
        ...{ locale: row.locale, field, component },
        ...{ isLive: row.live === 1, isWorking: row.work === 1 },
      })
    }
  }
  return found
}

function mediaFieldsOf(model: ContentModel, type: ContentType) {
  const sets = [{ set: type, component: null }, ...[...componentsOf(model, type)].map(withUid)]
  return new Map(
    sets.flatMap(({ set, component }) =>
      set.attributes
        .filter((attribute) => attribute.type === 'media' && !attribute.private)
        .map(({ no, name }) => [no, { field: name, component }] as const),
    ),
  )
}

function withUid(set: Component) {
  return { set, component: set.uid }
}
