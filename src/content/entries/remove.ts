import { sql } from 'kysely'
import { NeedsTransaction } from '#db'
import type { Entry } from '../entry.ts'
import { type Attribute, type ContentType, componentsOf, type FieldSet } from '../model.ts'
import { eventsOf } from './events.ts'
import type { Loaded } from './load.ts'
import { toEntry } from './render.ts'
import { type Registered, unregister } from './store/registry.ts'
import { findReferring } from './tell-others.ts'
import type { Writing } from './writing.ts'

/** Removes one variant or all of them, with every trace of a document that is then gone. */
export async function remove(
  writing: Writing,
  loaded: Loaded,
  allLocales: boolean,
): Promise<Entry[]> {
  const { tx, trx, tree, type, copies } = writing
  const gone = allLocales ? loaded.variants : [loaded.entry]
  const left = loaded.variants.filter((variant) => !gone.includes(variant))
  const removed: Entry[] = []
  for (const entry of gone) {
    const work = loaded.copies.find((copy) => copy.entryNo === entry.no && copy.work)
    if (!work && tx.isPlan) throw new NeedsTransaction()
    if (!work) throw new Error(`entry ${entry.no} has no working copy`)
    const url = writing.urlOf(entry)
    const live = entry.has_live === 1
    writing.tell(eventsOf({ type, entry, body: work.body, actions: ['deleted'], live, url }))
    removed.push(toEntry(type, entry, work))
  }
  const nos = new Set(gone.map(({ no }) => no))
  const own = loaded.copies.filter(({ entryNo }) => nos.has(entryNo))
  await copies.remove(
    trx,
    own.map(({ copyNo }) => copyNo),
  )
  await unregister(trx, [...nos])
  if (left.length > 0) await tree.refreshBelow(left)
  else await forget(writing, loaded.entry)
  writing.touch(type.no)
  return removed
}

async function forget(writing: Writing, { document_id: documentId }: Registered) {
  const { trx, tree } = writing
  await noteOwners(writing, documentId)
  await trx.deleteFrom('content_links').where('target', '=', documentId).execute()
  await tree.release(documentId)
}

/** Entries that linked to the document show one thing less, so their versions rise. */
async function noteOwners(writing: Writing, documentId: string) {
  const { trx, type, model } = writing
  const isLink = (attribute: Attribute) => isLinkTo(attribute, type)
  const owners = await findReferring(trx, model, documentId, isLink)
  const others = owners.filter(({ entry }) => entry.document_id !== documentId)
  writing.noteChanged(others.map(({ entry, live }) => ({ entry: raised(entry), live })))
  for (const owner of model.types) {
    const sets = [owner, ...componentsOf(model, owner)]
    const linkNos = sets.flatMap((set) => linksTo(set, type))
    if (linkNos.length === 0) continue
    await sql`
      update content_entries set version = version + 1 where no in (
        select copy.entry_no from content_links as link
        join ${sql.table(owner.table)} as copy on copy.copy_no = link.owner_copy
        where link.target = ${documentId} and link.attribute_no in (${sql.join(linkNos)})
      )
    `.execute(trx)
    writing.touch(owner.no)
  }
}

function linksTo({ attributes }: FieldSet, target: ContentType): number[] {
  return attributes.filter((attribute) => isLinkTo(attribute, target)).map(({ no }) => no)
}

function isLinkTo(attribute: Attribute, target: ContentType): boolean {
  return (
    attribute.type === 'relation' &&
    attribute.side === 'owning' &&
    attribute.target === target.singularName
  )
}

function raised(entry: Registered): Registered {
  return { ...entry, version: entry.version + 1 }
}
