import { keyRequired } from '#access'
import type { CopyState, Entry, EntryTarget, Include, OneQuery, Viewer } from '#content'
import { DomainError, hasAccess } from '#kernel'
import type { EntryResource } from '../catalogue.ts'
import type { JsonApiContent } from '../deps.ts'
import { unknownResource } from '../errors.ts'
import { localeChoice } from '../language.ts'
import { parseVersion } from '../query/version.ts'
import type { Asked } from '../request.ts'

/** Sees everything; what it finds tells only why others do not see it. */
const EVERYBODY: Viewer = { level: 'admin' }

/** An entry together with the state in which it was found: what it refers to is shown in the same. */
export interface FoundEntry {
  readonly entry: Entry
  readonly state: CopyState
}

/** Looks single entries up, by the version that is asked for (contract §5 and §6.6). */
export function createFinder(content: Pick<JsonApiContent, 'findOne'>) {
  return { get, find }

  /** Throws when it does not exist, or not for the caller. */
  async function get(
    asked: Asked,
    resource: EntryResource,
    id: string,
    include: readonly Include[],
  ): Promise<FoundEntry> {
    const version = parseVersion(asked.parameters)
    if (version?.kind === 'revision') {
      return getRevision(asked, resource, id, include, version.id)
    }
    const state = version?.kind === 'working' ? 'working' : 'live'
    const entry = await find(asked, resource, id, state, include)
    if (entry) return { entry, state }
    if (state === 'working') throw unknownResource()
    return getDraft(asked, resource, id, include)
  }

  /** What is not published is shown to those who may write; the others are told that it is not. */
  async function getDraft(
    asked: Asked,
    resource: EntryResource,
    id: string,
    include: readonly Include[],
  ): Promise<FoundEntry> {
    if (!(await findAs(EVERYBODY, asked, resource, id, 'working', []))) throw unknownResource()
    requireWrite(asked.viewer)
    const entry = await find(asked, resource, id, 'working', include)
    if (!entry) throw unknownResource()
    return { entry, state: 'working' }
  }

  async function getRevision(
    asked: Asked,
    resource: EntryResource,
    id: string,
    include: readonly Include[],
    revisionId: number,
  ): Promise<FoundEntry> {
    const live = await find(asked, resource, id, 'live', include)
    if (live?.revisionId === revisionId) return { entry: live, state: 'live' }
    const draft = await findAs(EVERYBODY, asked, resource, id, 'working', [])
    if (draft?.revisionId !== revisionId) throw unknownResource('There is no such revision')
    requireWrite(asked.viewer)
    const entry = await find(asked, resource, id, 'working', include)
    if (!entry) throw unknownResource()
    return { entry, state: 'working' }
  }

  function find(
    asked: Asked,
    resource: EntryResource,
    id: string,
    state: CopyState,
    include: readonly Include[],
  ): Promise<Entry | undefined> {
    return findAs(asked.viewer, asked, resource, id, state, include)
  }

  function findAs(
    viewer: Viewer,
    { catalogue, locale: code }: Asked,
    { type }: EntryResource,
    documentId: string,
    state: CopyState,
    include: readonly Include[],
  ): Promise<Entry | undefined> {
    const locale = localeChoice(catalogue.model, code)
    const query: OneQuery = { type, state, locale, filter: null, include }
    const target: EntryTarget = { documentId, locale: null }
    return content.findOne(viewer, query, target)
  }
}

function requireWrite({ level }: Viewer): void {
  if (level === null) throw keyRequired()
  if (hasAccess({ access: level }, 'write')) return
  throw new DomainError('forbidden', 'forbidden', 'What is not published needs the level write', {
    facts: { required: 'write' },
  })
}
