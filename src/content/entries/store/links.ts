import { toNewRows } from '#db'
import { fold } from '../../fold.ts'
import {
  type ContentModel,
  componentsOf,
  type FieldSet,
  isScalar,
  type ScalarAttribute,
} from '../../model.ts'
import type { Body, Part } from '../body.ts'
import { insertRows } from './rows.ts'
import { gatherInChunks, type Trx } from './statements.ts'

export interface LinkRow {
  readonly attribute_no: number
  readonly owner_copy: number
  readonly owner_part: number
  readonly position: number
  readonly target: string
  readonly target_position: number
}

/** Of many copies, each list in its order. */
export function findLinks(trx: Trx, copyNos: readonly number[]): Promise<LinkRow[]> {
  return gatherInChunks(copyNos, (chunk) =>
    trx
      .selectFrom('content_links')
      .selectAll()
      .where('owner_copy', 'in', chunk)
      .orderBy('position')
      .execute(),
  )
}

/** Where each link stands in the list at its other end, so that rewriting it moves nothing there. */
export type KnownPositions = ReadonlyMap<string, number>

export function positionsOf(rows: readonly LinkRow[]): KnownPositions {
  return new Map(rows.map((row) => [keyOf(row), row.target_position]))
}

function keyOf(row: Pick<LinkRow, 'attribute_no' | 'owner_part' | 'target'>): string {
  return `${row.attribute_no} ${row.owner_part} ${row.target}`
}

interface Owner {
  readonly copyNo: number
  /** 0: the entry itself. */
  readonly partId: number
  readonly known: KnownPositions
  /** A number higher than all before it: new links go to the end of the list at their other end. */
  readonly revision: number
}

/** The rows of a body's own links, not of the components in it. */
export function linkRows(links: Body['links'], owner: Owner): LinkRow[] {
  return [...links].flatMap(([attributeNo, targets]) =>
    targets.map((target, position) => {
      const row = { attribute_no: attributeNo, owner_part: owner.partId, target }
      const target_position = owner.known.get(keyOf(row)) ?? owner.revision
      // Every row names its columns in the same order.
      return { ...row, owner_copy: owner.copyNo, position, target_position }
    }),
  )
}

export function insertLinks(trx: Trx, rows: readonly LinkRow[]) {
  return insertRows(trx, 'content_links', toNewRows(rows))
}

/** Of the entry itself or of all components in it. */
export async function deleteLinks(trx: Trx, copyNo: number, of: 'entry' | 'parts') {
  await trx
    .deleteFrom('content_links')
    .where('owner_copy', '=', copyNo)
    .where('owner_part', of === 'entry' ? '=' : '<>', 0)
    .execute()
}

export interface TagRow {
  readonly attribute_no: number
  readonly owner_copy: number
  readonly owner_part: number
  readonly position: number
  readonly value: string
  readonly fold: string
}

export function tagRows(
  set: FieldSet,
  { values }: Body,
  { copyNo, partId }: Pick<Owner, 'copyNo' | 'partId'>,
): TagRow[] {
  return tagAttributes(set).flatMap(({ no }) => {
    const tags = values.get(no)
    return (Array.isArray(tags) ? tags : []).map((value, position) => ({
      attribute_no: no,
      owner_copy: copyNo,
      owner_part: partId,
      position,
      value: String(value),
      fold: fold(String(value)),
    }))
  })
}

export function tagAttributes(set: FieldSet): ScalarAttribute[] {
  return set.attributes.filter(isScalar).filter(({ type }) => type === 'tags')
}

export function insertTags(trx: Trx, rows: readonly TagRow[]) {
  return insertRows(trx, 'content_tags', toNewRows(rows))
}

export async function deleteTags(trx: Trx, copyNo: number, of: 'entry' | 'parts') {
  await trx
    .deleteFrom('content_tags')
    .where('owner_copy', '=', copyNo)
    .where('owner_part', of === 'entry' ? '=' : '<>', 0)
    .execute()
}

/** Whether anything of this set, or of the components in it, is stored beside the copy itself. */
export interface Besides {
  readonly links: boolean
  readonly tags: boolean
  /** The components that may lie in it, at any depth. */
  readonly components: readonly Part['component'][]
}

export function besidesOf(set: FieldSet, model: ContentModel): Besides {
  const components = [...componentsOf(model, set)]
  const sets = [set, ...components]
  return {
    links: sets.some((each) => each.attributes.some(isLinking)),
    tags: sets.some((each) => tagAttributes(each).length > 0),
    components,
  }
}

function isLinking(attribute: FieldSet['attributes'][number]): boolean {
  return (
    attribute.type === 'media' || (attribute.type === 'relation' && attribute.side === 'owning')
  )
}
