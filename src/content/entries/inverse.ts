import { sql } from 'kysely'
import { NeedsTransaction } from '#db'
import { type ContentType, isExclusive, type RelationAttribute } from '../model.ts'
import { levelOf, requireMay } from '../permissions.ts'
import { relationTargets } from './apply.ts'
import type { ParsedBody, Problems } from './input/parsed.ts'
import { editableCopies, findOwners, holdOwner, noteOwners, unlink } from './owners.ts'
import type { References } from './references.ts'
import { insertLinks } from './store/links.ts'
import { inChunks } from './store/statements.ts'
import type { Writing } from './writing.ts'

/** What a write wants to be true of a relation whose links are stored at the other end. */
export interface InverseChange {
  readonly attribute: RelationAttribute
  readonly ownerType: ContentType
  readonly owning: RelationAttribute
  readonly current: readonly string[]
  readonly wanted: readonly string[]
}

interface Faults {
  readonly problems: Problems
  readonly unknown: Problems
}

/** Only the changes that change something. */
export async function planInverse(
  writing: Writing,
  parsed: ParsedBody,
  documentId: string,
  references: References,
  faults: Faults,
): Promise<InverseChange[]> {
  const { type, model } = writing
  const changes: InverseChange[] = []
  for (const attribute of type.attributes) {
    const change = parsed.relations.get(attribute.no)
    if (!change || attribute.type !== 'relation' || attribute.side !== 'inverse') continue
    const ownerType = model.findType(attribute.target)
    const owning = ownerType && owningOf(ownerType, attribute)
    if (!ownerType || !owning) continue
    if (isExclusive(owning)) await holdOwner(writing, owning.no, documentId)
    const current = await findOwners(writing, ownerType, owning.no, documentId)
    const context = { model, references, ...faults }
    const wanted = relationTargets(attribute, current, change, context, [attribute.name]) ?? current
    if (isSameList(current, wanted)) continue
    requireMay(levelOf(writing.actor), ownerType, 'update')
    changes.push({ attribute, ownerType, owning, current, wanted })
  }
  // The links of others are read and changed one after the other.
  if (changes.length > 0 && writing.tx.isPlan) throw new NeedsTransaction()
  return changes
}

function owningOf(ownerType: ContentType, { linkNo }: RelationAttribute) {
  const found = ownerType.attributes.find(({ no }) => no === linkNo)
  return found?.type === 'relation' ? found : undefined
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

/** `revision` is higher than every position given before, so new links go to the end. */
export async function writeInverse(
  writing: Writing,
  { ownerType, owning, current, wanted }: InverseChange,
  { documentId, revision, asDraft }: { documentId: string; revision: number; asDraft: boolean },
) {
  const [before, after] = [new Set(current), new Set(wanted)]
  const removed = current.filter((owner) => !after.has(owner))
  const added = wanted.filter((owner) => !before.has(owner))
  const left = await editableCopies(writing, ownerType, removed, asDraft)
  await unlink(writing, owning.no, left, [documentId])
  const joined = await editableCopies(writing, ownerType, added, asDraft)
  await unlink(writing, owning.no, joined, isToOne(owning) ? undefined : [documentId])
  await insertLinks(
    writing.trx,
    joined.map(({ copyNo }) => ({
      attribute_no: owning.no,
      owner_copy: copyNo,
      owner_part: 0,
      position: revision,
      target: documentId,
      target_position: revision,
    })),
  )
  await noteOwners(writing, ownerType, [...left, ...joined], asDraft)
  await reorder(writing, ownerType, owning.no, documentId, wanted)
}

function isToOne({ relation }: RelationAttribute): boolean {
  return relation.endsWith('ToOne')
}

/** The order seen from here is no value of the owners, so it is set in all their copies at once. */
async function reorder(
  { trx }: Writing,
  ownerType: ContentType,
  linkNo: number,
  target: string,
  wanted: readonly string[],
) {
  if (wanted.length < 2) return
  const places = wanted.map((documentId, index) => ({ documentId, place: index + 1 }))
  await inChunks(places, (chunk) => {
    const values = chunk.map(
      ({ documentId, place }) => sql`(cast(${documentId} as text), cast(${place} as bigint))`,
    )
    return sql`
      with wanted (document_id, place) as (values ${sql.join(values)})
      update content_links set target_position = wanted.place
      from wanted join ${sql.table(ownerType.table)} as copy
        on copy.document_id = wanted.document_id
      where content_links.owner_copy = copy.copy_no and content_links.target = ${target}
        and content_links.attribute_no = ${linkNo} and content_links.owner_part = 0
    `.execute(trx)
  })
}
