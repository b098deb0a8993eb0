import type { Kysely } from 'kysely'
import { type ContentModel, type ContentType, componentsOf } from '../model.ts'
import type { ContentTables } from '../tables.ts'

/**
 * The types whose entries refer to the file. With `raise` these entries get a new version, because
 * their records show the file's id.
 */
export async function raiseOwners(
  db: Kysely<ContentTables>,
  model: ContentModel,
  fileUuid: string,
  raise: boolean,
): Promise<number[]> {
  const links = await db
    .selectFrom('content_links')
    .select('attribute_no')
    .distinct()
    .where('target', '=', fileUuid)
    .execute()
  const used = new Set(links.map((link) => link.attribute_no))
  const types = model.types.filter((type) =>
    [type, ...componentsOf(model, type)].some(({ attributes }) =>
      attributes.some(({ no }) => used.has(no)),
    ),
  )
  if (raise) for (const type of types) await raiseVersions(db, type, fileUuid)
  return types.map((type) => type.no)
}

async function raiseVersions(db: Kysely<ContentTables>, type: ContentType, fileUuid: string) {
  await db
    .updateTable('content_entries')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('no', 'in', (query) =>
      query
        .selectFrom(`${type.table} as copy`)
        .innerJoin('content_links as link', 'link.owner_copy', 'copy.copy_no')
        .select('copy.entry_no')
        .where('link.target', '=', fileUuid),
    )
    .execute()
}
