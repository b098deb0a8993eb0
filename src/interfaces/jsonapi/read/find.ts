import type { Entry, Viewer } from '#content'
import {
  type CopyState,
  type Include,
  type OneQuery,
  oneOf,
  type Question,
  requireWrite,
  type Slots,
} from '#content-query'
import type { JsonApiContent } from '../deps.ts'
import { unknownResource, unknownRevision } from '../errors.ts'
import { parseVersion } from '../query/parameters.ts'
import { type Asked, localeChoice } from '../request.ts'
import type { EntryResource } from '../target/catalogue.ts'

/** Sees everything; what it finds tells only why others do not see it. */
const EVERYBODY: Viewer = { level: 'admin' }

/** An entry together with the state in which it was found: what it refers to is shown in the same. */
export interface FoundEntry {
  readonly entry: Entry
  readonly state: CopyState
}

/** What is loaded with an entry, taken apart. */
export interface Wanted extends Pick<Question<unknown>, 'template' | 'values'> {
  include(slots: Slots): readonly Include[]
  /** The same with the values of this one request. */
  sent(): readonly Include[]
}

/** The same every time. */
export function fixed(include: readonly Include[]): Wanted {
  const same = () => include
  return { template: JSON.stringify(include), values: [], include: same, sent: same }
}

const NOTHING = fixed([])

/** Looks single entries up, by the version that is asked for (contract §5 and §6.6). */
export function createFinder(
  content: Pick<JsonApiContent, 'entryTemplates' | 'readEntries' | 'revisions'>,
) {
  const prepare = content.entryTemplates()
  return { get, find }

  /** Throws when it does not exist, or not for the caller. */
  async function get(
    asked: Asked,
    resource: EntryResource,
    id: string,
    wanted: Wanted,
  ): Promise<FoundEntry> {
    const version = parseVersion(asked.parameters)
    if (version?.kind === 'revision') {
      return getRevision(asked, resource, id, wanted, version.id)
    }
    const state = version?.kind === 'working' ? 'working' : 'live'
    const entry = await find(asked, resource, id, state, wanted)
    if (entry) return { entry, state }
    if (state === 'working') throw unknownResource()
    return getDraft(asked, resource, id, wanted)
  }

  /** What is not published is shown to those who may write; the others are told that it is not. */
  async function getDraft(
    asked: Asked,
    resource: EntryResource,
    id: string,
    wanted: Wanted,
  ): Promise<FoundEntry> {
    if (!(await findAs(EVERYBODY, asked, resource, id, 'working', NOTHING))) throw unknownResource()
    requireWrite(asked.viewer, 'Reading what is not published')
    const entry = await find(asked, resource, id, 'working', wanted)
    if (!entry) throw unknownResource()
    return { entry, state: 'working' }
  }

  async function getRevision(
    asked: Asked,
    resource: EntryResource,
    id: string,
    wanted: Wanted,
    revisionId: number,
  ): Promise<FoundEntry> {
    const live = await find(asked, resource, id, 'live', wanted)
    if (live?.revisionId === revisionId) return { entry: live, state: 'live' }
    const draft = await findAs(EVERYBODY, asked, resource, id, 'working', NOTHING)
    if (!draft) throw unknownRevision()
    if (draft.revisionId !== revisionId) return getFormer(asked, draft, wanted, revisionId)
    requireWrite(asked.viewer, 'Reading what is not published')
    const entry = await find(asked, resource, id, 'working', wanted)
    if (!entry) throw unknownResource()
    return { entry, state: 'working' }
  }

  /** Whoever may not see it is told only when it exists. */
  async function getFormer(
    asked: Asked,
    { type, id }: Entry,
    wanted: Wanted,
    revisionId: number,
  ): Promise<FoundEntry> {
    const revisions = await content.revisions.list(type, id)
    if (!revisions.some((each) => each.id === revisionId)) {
      throw unknownRevision()
    }
    requireWrite(asked.viewer, 'Reading what is not published')
    const target = { id, revisionId }
    const { entry } = await content.revisions.get(asked.viewer, type, target, wanted.sent())
    return { entry, state: 'working' }
  }

  function find(
    asked: Asked,
    resource: EntryResource,
    id: string,
    state: CopyState,
    wanted: Wanted,
  ): Promise<Entry | undefined> {
    return findAs(asked.viewer, asked, resource, id, state, wanted)
  }

  async function findAs(
    viewer: Viewer,
    { catalogue, locale: code }: Asked,
    { type }: EntryResource,
    documentId: string,
    state: CopyState,
    wanted: Wanted,
  ): Promise<Entry | undefined> {
    const { model } = catalogue
    const locale = localeChoice(model, code)
    const at = wanted.values.length
    const prepared = prepare(viewer, {
      ...{ model, values: [...wanted.values, documentId] },
      template: `${type.no} ${state} ${code} ${wanted.template}`,
      read(slots) {
        const include = wanted.include(slots)
        const query: OneQuery = { type, state, locale, filter: null, include }
        return { query: oneOf(query, { documentId: slots.text(at), locale: null }) }
      },
    })
    return (await content.readEntries(prepared)).entries[0]
  }
}
