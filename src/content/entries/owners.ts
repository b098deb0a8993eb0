import { sql } from 'kysely'
import { NeedsTransaction } from '#db'
import { type ContentType, isExclusive, type RelationAttribute } from '../model.ts'
import { levelOf, may, requireMay } from '../permissions.ts'
import { holdDefinition } from '../types/store.ts'
import { refusePlanned } from './planned.ts'
import { typeChanged } from './refusals.ts'
import { changeRegistered, findRegistered, raiseVersions } from './store/registry.ts'
import { gatherInChunks, guardNone, holdName, inChunks } from './store/statements.ts'
import type { Writing } from './writing.ts'

interface OwnerCopy {
  readonly copyNo: number
  readonly entryNo: number
  readonly documentId: string
}

interface Stored {
  copy_no: number
  entry_no: number
  document_id: string
  live: number
  work: number
}

/** The documents whose working copies link to this one, in the order seen from it. */
export async function findOwners(
  { trx }: Writing,
  ownerType: ContentType,
  linkNo: number,
  target: string,
): Promise<string[]> {
  const { rows } = await sql<{ document_id: string }>`
    select copy.document_id, min(link.target_position) as place, min(copy.id) as id
    from content_links as link
    join ${sql.table(ownerType.table)} as copy on copy.copy_no = link.owner_copy
    where link.target = ${target} and link.attribute_no = ${linkNo} and link.owner_part = 0
      and copy.work = 1
    group by copy.document_id order by place, id
  `.execute(trx)
  return rows.map((row) => row.document_id)
}

/**
 * The copies of other documents that a write here may change: a write that goes live changes all of
 * them if its writer may publish them, a draft only working copies, which are split from live ones first.
 */
export async function editableCopies(
  writing: Writing,
  ownerType: ContentType,
  documentIds: readonly string[],
  asDraft: boolean,
): Promise<OwnerCopy[]> {
  const { tx, trx, dialect } = writing
  // What one relation changes of other documents, the next one reads.
  if (tx.isPlan && documentIds.length > 0) throw new NeedsTransaction()
  if (documentIds.length > 0 && ownerType.no !== writing.type.no) await hold(writing, ownerType)
  const entries = await gatherInChunks(documentIds, (chunk) =>
    trx
      .selectFrom('content_entries')
      .select(['no', 'id', 'publish_at'])
      .where('document_id', 'in', chunk)
      .orderBy('no')
      .$if(dialect.rowLocks, (query) => query.forUpdate())
      .execute(),
  )
  refusePlanned(writing, ownerType, entries)
  const rows = await gatherInChunks(documentIds, (chunk) => findCopies(writing, ownerType, chunk))
  const isLive = !asDraft && may(levelOf(writing.actor), ownerType, 'publish')
  if (isLive || !ownerType.draftAndPublish) return rows.map(toOwner)
  const working: OwnerCopy[] = []
  for (const row of rows.filter(({ work }) => work === 1)) {
    working.push(row.live === 1 ? await splitOwner(writing, ownerType, row) : toOwner(row))
  }
  return working
}

/** A change of that type has to see what is written here, as it sees what its own writers write. */
async function hold({ trx, dialect }: Writing, { no, updatedAtMs }: ContentType) {
  const held = await holdDefinition(trx, dialect, no)
  if (held?.updatedAtMs !== updatedAtMs) throw typeChanged()
}

function findCopies({ trx }: Writing, type: ContentType, documentIds: readonly string[]) {
  return trx
    .selectFrom(sql<Stored>`${sql.table(type.table)}`.as('copy'))
    .select(['copy_no', 'entry_no', 'document_id', 'live', 'work'])
    .where('document_id', 'in', documentIds)
    .orderBy('copy_no')
    .execute()
}

async function splitOwner(writing: Writing, type: ContentType, row: Stored): Promise<OwnerCopy> {
  const copyNo = await writing.takeNumber()
  await writing.copiesOf(type).split(writing.trx, row.copy_no, copyNo)
  await changeRegistered(writing.trx, [row.entry_no], { changed: 1 })
  return { ...toOwner(row), copyNo }
}

function toOwner(row: Stored): OwnerCopy {
  return { copyNo: row.copy_no, entryNo: row.entry_no, documentId: row.document_id }
}

export async function unlink(
  { trx }: Writing,
  linkNo: number,
  copies: readonly OwnerCopy[],
  targets?: readonly string[],
) {
  await inChunks(copies, (chunk) =>
    trx
      .deleteFrom('content_links')
      .where('attribute_no', '=', linkNo)
      .where('owner_part', '=', 0)
      .where(
        'owner_copy',
        'in',
        chunk.map(({ copyNo }) => copyNo),
      )
      .$if(targets !== undefined, (query) => query.where('target', 'in', targets ?? []))
      .execute(),
  )
}

export async function noteOwners(
  writing: Writing,
  ownerType: ContentType,
  copies: readonly OwnerCopy[],
  asDraft: boolean,
) {
  if (copies.length === 0) return
  const { trx, nowMs } = writing
  const entries = copies.map(({ entryNo }) => entryNo)
  // A change of the type that is under way finds by its time what was written since.
  if (ownerType.changing) {
    await inChunks(copies, (chunk) => {
      const numbers = chunk.map(({ copyNo }) => copyNo)
      const saved = trx.updateTable(ownerType.table).set({ updated_at: nowMs })
      return saved.where('copy_no', 'in', numbers).execute()
    })
  }
  await raiseVersions(trx, entries, ownerType.changing ? nowMs : undefined)
  writing.touch(ownerType.no)
  const isLive = !asDraft || !ownerType.draftAndPublish
  const changed = await findRegistered(trx, entries)
  writing.noteChanged(changed.map((entry) => ({ entry, live: isLive && entry.has_live === 1 })))
}

/** Whoever gives the target an owner knows all that it has until then. */
export function holdOwner(writing: Writing, linkNo: number, target: string): Promise<void> {
  return holdName(writing, `owner ${linkNo} ${target}`)
}

/** Where a target belongs to one owner only, linking takes it away from the others. */
export async function releaseFromOthers(
  writing: Writing,
  attribute: RelationAttribute,
  targets: readonly string[],
  documentId: string,
  asDraft: boolean,
) {
  const { trx, type } = writing
  if (targets.length === 0 || attribute.side === 'inverse' || !isExclusive(attribute)) return
  for (const target of targets.toSorted()) await holdOwner(writing, attribute.no, target)
  const owners = await gatherInChunks(targets, async (chunk) => {
    const query = () => sql<{ document_id: string }>`
      select distinct copy.document_id from content_links as link
      join ${sql.table(type.table)} as copy on copy.copy_no = link.owner_copy
      where link.attribute_no = ${attribute.no} and link.owner_part = 0
        and link.target in (${sql.join(chunk)}) and copy.document_id <> ${documentId}`
    const { rows } = await query().execute(trx)
    const values = [attribute.no, ...chunk, documentId]
    const key = `${type.table} owners of ${chunk.length}`
    if (rows.length === 0) guardNone(writing, key, values, query)
    return rows
  })
  if (owners.length === 0) return
  requireMay(levelOf(writing.actor), type, 'update')
  const documents = owners.map((row) => row.document_id)
  const copies = await editableCopies(writing, type, documents, asDraft)
  await unlink(writing, attribute.no, copies, targets)
  await noteOwners(writing, type, copies, asDraft)
}
