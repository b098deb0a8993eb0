import { sql } from 'kysely'
import type { Actor } from '#kernel'
import { type ContentModel, type FieldSet, isScalar, type MediaAttribute } from '../model.ts'
import { keyRequired, levelOf, requireMay } from '../permissions.ts'
import type { ParsedBody, Ref, RelationChange } from './input/parsed.ts'
import { gatherInChunks, guardCount, type Holding } from './store/statements.ts'
import type { Writing } from './writing.ts'

/** What the ids of an input stand for. */
export interface References {
  /** The document of an id of this type; undefined when there is none. */
  document(typeNo: number, ref: Ref): string | undefined
  file(ref: Ref): FoundFile | undefined
}

interface FoundFile {
  readonly uuid: string
  readonly mime: string
}

interface Wanted {
  readonly documents: Map<number, Set<Ref>>
  readonly files: Set<Ref>
}

/** Looks up all ids of these inputs at once: one or two statements for each type they belong to. */
export async function findReferences(
  held: Holding & Pick<Writing, 'actor'>,
  set: FieldSet,
  inputs: readonly ParsedBody[],
  model: ContentModel,
): Promise<References> {
  const wanted: Wanted = { documents: new Map(), files: new Set() }
  if (set.attributes.some(mayRefer)) {
    for (const parsed of inputs) gather(set, parsed, model, wanted)
  }
  requireSight(held.actor, wanted, model)
  const documents = new Map<string, string>()
  for (const [typeNo, refs] of wanted.documents) {
    const found = await findDocuments(held, typeNo, refs)
    guardDocuments(held, typeNo, new Set(found.map((row) => row.document_id)))
    for (const row of found) {
      documents.set(`${typeNo} ${row.id}`, row.document_id)
      documents.set(`${typeNo} ${row.document_id}`, row.document_id)
    }
  }
  const files = new Map<Ref, FoundFile>()
  const found = await findFiles(held, wanted.files)
  guardFiles(held, new Set(found.map(({ uuid }) => uuid)))
  for (const { id, uuid, mime } of found) {
    files.set(id, { uuid, mime })
    files.set(uuid, { uuid, mime })
  }
  return {
    document: (typeNo, ref) => documents.get(`${typeNo} ${ref}`),
    file: (ref) => files.get(ref),
  }
}

/**
 * What an entry is linked to its writer may read, or links would tell what exists. Files are for holders of a key:
 * linked from a public entry any file would be public.
 */
function requireSight(actor: Actor, { documents, files }: Wanted, model: ContentModel): void {
  const level = levelOf(actor)
  if (level === null && files.size > 0) throw keyRequired()
  for (const typeNo of documents.keys()) {
    const target = model.typeByNo(typeNo)
    if (target) requireMay(level, target, 'read')
  }
}

function mayRefer(attribute: FieldSet['attributes'][number]): boolean {
  return !isScalar(attribute)
}

/** What is linked still exists when the plan is carried out. */
function guardDocuments(held: Holding, typeNo: number, ids: ReadonlySet<string>) {
  if (ids.size === 0) return
  const list = held.dialect.bindList([...ids])
  const count = () => sql`
    select count(distinct document_id) from content_entries
    where type_no = ${typeNo} and ${held.dialect.isOneOf(sql.ref('document_id'), sql`${list}`, 'text')}`
  guardCount(held, 'documents', [typeNo, list], count, ids.size)
}

function guardFiles(held: Holding, uuids: ReadonlySet<string>) {
  if (uuids.size === 0) return
  const list = held.dialect.bindList([...uuids])
  const isWanted = () => held.dialect.isOneOf(sql.ref('uuid'), sql`${list}`, 'text')
  const count = () => sql`select count(*) from content_files where ${isWanted()}`
  guardCount(held, 'files', [list], count, uuids.size)
}

function gather(set: FieldSet, parsed: ParsedBody, model: ContentModel, wanted: Wanted) {
  for (const attribute of set.attributes) {
    const change = parsed.relations.get(attribute.no)
    if (change && attribute.type === 'relation') {
      const target = model.findType(attribute.target)
      if (target) addAll(wanted.documents, target.no, refsOf(change))
    }
    for (const ref of parsed.media.get(attribute.no) ?? []) wanted.files.add(ref)
    for (const { component, body } of parsed.parts.get(attribute.no) ?? []) {
      gather(component, body, model, wanted)
    }
  }
}

function addAll(documents: Map<number, Set<Ref>>, typeNo: number, refs: readonly Ref[]) {
  const known = documents.get(typeNo) ?? new Set()
  for (const ref of refs) known.add(ref)
  documents.set(typeNo, known)
}

function refsOf(change: RelationChange): Ref[] {
  if (change.kind === 'set') return [...change.refs]
  const places = change.connect.flatMap(({ place }) => (place && 'ref' in place ? [place.ref] : []))
  return [...change.connect.map(({ ref }) => ref), ...change.disconnect, ...places]
}

async function findDocuments({ trx, dialect }: Holding, typeNo: number, refs: ReadonlySet<Ref>) {
  const { ids, texts } = parted(refs)
  const query = trx
    .selectFrom('content_entries')
    .select(['id', 'document_id'])
    .where('type_no', '=', typeNo)
  const isOneOf = dialect.isOneOf
  const byId = await gatherInChunks(ids, (chunk) =>
    query.where(isOneOf(sql.ref('id'), chunk, 'integer')).execute(),
  )
  const byDocument = await gatherInChunks(texts, (chunk) =>
    query.where(isOneOf(sql.ref('document_id'), chunk, 'text')).execute(),
  )
  return [...byId, ...byDocument]
}

async function findFiles({ trx, dialect }: Holding, refs: ReadonlySet<Ref>) {
  const { ids, texts } = parted(refs)
  const query = trx.selectFrom('content_files').select(['id', 'uuid', 'mime'])
  const isOneOf = dialect.isOneOf
  const byId = await gatherInChunks(ids, (chunk) =>
    query.where(isOneOf(sql.ref('id'), chunk, 'integer')).execute(),
  )
  const byUuid = await gatherInChunks(texts, (chunk) =>
    query.where(isOneOf(sql.ref('uuid'), chunk, 'text')).execute(),
  )
  return [...byId, ...byUuid]
}

function parted(refs: ReadonlySet<Ref>): { ids: number[]; texts: string[] } {
  const all = [...refs]
  return {
    ids: all.filter((ref) => typeof ref === 'number'),
    texts: all.filter((ref) => typeof ref === 'string'),
  }
}

const CLASSES = [
  ['images', 'image/'],
  ['videos', 'video/'],
  ['audios', 'audio/'],
] as const

/** No list means that every file may be used. */
export function isAllowedFile({ allowedTypes }: MediaAttribute, mime: string): boolean {
  const own = CLASSES.find(([, prefix]) => mime.startsWith(prefix))?.[0] ?? 'files'
  return allowedTypes.length === 0 || allowedTypes.includes(own)
}
