import { sql } from 'kysely'
import { notFound } from '#kernel'
import type { Attribute } from '../model.ts'
import { levelOf, mayRead } from '../permissions.ts'
import { goneFrom, linksIn, withoutGone } from '../revisions/gone.ts'
import { readKept } from '../revisions/kept-body.ts'
import { findKept, findKeptBody } from '../revisions/store.ts'
import { type Body, withAttributesOf } from './body.ts'
import { NOTHING } from './input/parse.ts'
import { createProblems } from './input/parsed.ts'
import type { Loaded } from './load.ts'
import type { Restored } from './ports.ts'
import { guardCount } from './store/statements.ts'
import { update } from './update.ts'
import type { Writing } from './writing.ts'

/**
 * The working copy says again what it said in a revision. Attributes that the revision does not know, or whose value
 * does not fit any more, stay as they are.
 */
export async function restore(
  writing: Writing,
  loaded: Loaded,
  revisionId: number,
): Promise<Restored> {
  const { type } = writing
  const { body: former, named, misfits } = await findFormer(writing, loaded, revisionId)
  const { trx, dialect, model } = writing
  const viewer = { level: levelOf(writing.actor) }
  const gone = await goneFrom(trx, dialect, model, type, former, viewer)
  const there = withoutGone(former, gone.targets)
  guardLinked(writing, there)
  const isRestored = (attribute: Attribute) => named.has(attribute.no) && isSeen(attribute)
  const restored = withAttributesOf(type, loaded.work.body, there, isRestored)
  const prepared = { input: { values: {} }, parsed: NOTHING, problems: createProblems(), restored }
  // Whole, because all of it is what the caller asks for.
  const written = await update(writing, loaded, prepared, { mode: 'replace', status: 'draft' })
  return { ...written, warnings: [...misfits, ...gone.misfits] }

  /** Nobody links what it may not read, by an old revision neither: that stays as it is. */
  function isSeen(attribute: Attribute): boolean {
    const target = attribute.type === 'relation' ? model.findType(attribute.target) : undefined
    return !target || mayRead(viewer, target)
  }
}

/** What is linked again still exists when the plan is carried out. */
function guardLinked(writing: Writing, body: Body) {
  const lists = [...linksIn(writing.type, body, [])]
  const { dialect } = writing
  for (const [table, key, isFiles] of LINKED) {
    const own = lists.filter(({ target }) => (target === 'files') === isFiles)
    const targets = new Set(own.flatMap((list) => list.targets))
    if (targets.size === 0) continue
    const list = dialect.bindList([...targets])
    const isOne = () => dialect.isOneOf(sql.ref(key), sql`${list}`, 'text')
    const count = () =>
      sql`select count(distinct ${sql.ref(key)}) from ${sql.table(table)} where ${isOne()}`
    guardCount(writing, `linked ${table}`, [list], count, targets.size)
  }
}

const LINKED = [
  ['content_entries', 'document_id', false],
  ['content_files', 'uuid', true],
] as const

async function findFormer(
  { trx, type, model, keptRevisions }: Writing,
  { entry, work, live }: Loaded,
  revisionId: number,
) {
  const copy = [work, live].find((each) => each?.revisionId === revisionId)
  if (copy) {
    const named = new Set(type.attributes.map(({ no }) => no))
    return { body: copy.body, named, misfits: [] }
  }
  const kept = await findKept(trx, entry.no, keptRevisions)
  const isListed = kept.some((each) => each.revision_id === revisionId)
  const text = isListed ? await findKeptBody(trx, entry.no, revisionId) : undefined
  if (text === undefined) throw notFound('revision')
  return readKept(type, text, model)
}
