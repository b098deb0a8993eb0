import { actorOf } from '#access'
import type { Entry, EntryInput, UpdateOptions } from '#content'
import type { Tx } from '#db'
import { methodNotAllowed, onceId } from '#http'
import { type Issue, isUuid } from '#kernel'
import { parseResource, type SentResource } from './body/document.ts'
import { type InputContext, type ParsedInput, parseInput } from './body/input.ts'
import { refuseAll, withPointers } from './body/refusals.ts'
import { badDocument, issueAt, refusalAt, unknownResource } from './errors.ts'
import { includesOf, parseShowing } from './query/parse.ts'
import { createFinder, fixed } from './read/find.ts'
import type { Related } from './read/related.ts'
import type { ReadDeps, Reading } from './read.ts'
import type { Asked } from './request.ts'
import { entryTag, expectedVersion } from './routes/sending.ts'
import type { EntryResource, Resource } from './target/catalogue.ts'
import type { Target } from './target.ts'
import { createMediaWriting } from './write/media.ts'
import { createRelationships } from './write/relationships.ts'
import { createTranslation } from './write/translation.ts'
import { createUploads } from './write/upload.ts'

/** Everything that changes something (contract §7). */
export function createWriting(deps: ReadDeps, reading: Reading, related: Related) {
  const { content, directory, transaction } = deps
  const { entries } = content
  const finder = createFinder(content)
  const translation = createTranslation(deps)
  const tools = { findCurrent, perform }
  const relationships = createRelationships(deps, related, tools)
  const media = createMediaWriting(deps)
  const uploads = createUploads(deps, tools)
  return { write }

  function write(asked: Asked, target: Target): Promise<Buffer | undefined> {
    const { method } = asked.request
    switch (target.kind) {
      case 'collection':
        return create(asked, target.resource)
      case 'individual':
        return method === 'PATCH'
          ? change(asked, target.resource, target.id)
          : remove(asked, target.resource, target.id)
      case 'relationship':
        return relationships.change(asked, target.resource, target.id, target.name)
      case 'related':
        return uploads.attach(asked, target.resource, target.id, target.name)
      case 'upload':
        return uploads.store(asked, target.resource, target.name)
      case 'entryPoint':
        throw methodNotAllowed(asked.reply, ['GET', 'HEAD'])
    }
  }

  async function create(asked: Asked, resource: Resource): Promise<Buffer> {
    if (resource.kind !== 'entry') return media.create(asked, resource)
    // Read before anything is written, so that nothing is half done.
    parseShowing(asked, resource)
    const sent = parseResource(asked.request, resource)
    const parsed = await parseInput(contextOf(asked, resource, undefined), sent)
    const documentId = await chosenId(asked, resource, sent)
    const locale = parsed.langcode ?? asked.prefixed ?? null
    const input: EntryInput = {
      ...parsed.input,
      locale: resource.type.localized ? locale : null,
      ...(documentId === undefined ? {} : { documentId }),
    }
    const status = parsed.status === false ? 'draft' : 'published'
    const { entry } = await perform(resource, sent.document, parsed.issues, (tx) =>
      entries.create(actorOf(asked.request), resource.type, input, {
        ...{ status, tx, onceId: onceId(asked.request) },
      }),
    )
    asked.reply.code(201)
    return answer(asked, resource, entry, true)
  }

  /** Contract §7.1: a UUID is used, anything else refused, and one that is taken is a conflict. */
  async function chosenId(asked: Asked, resource: EntryResource, { id }: SentResource) {
    if (id === undefined) return undefined
    const at = { pointer: '/data/id' }
    if (!isUuid(id)) throw refusalAt('unprocessable', 'invalid_id', at, 'id must be a UUID')
    const documentId = id.toLowerCase()
    const everywhere = { ...asked, viewer: { level: 'admin' as const } }
    const taken = await finder.find(everywhere, resource, documentId, 'working', fixed([]))
    if (taken) throw refusalAt('conflict', 'id_taken', at, `${id} exists already`)
    return documentId
  }

  async function change(asked: Asked, resource: Resource, id: string): Promise<Buffer> {
    if (resource.kind !== 'entry') return media.change(asked, resource, id)
    parseShowing(asked, resource)
    const sent = parseResource(asked.request, resource)
    checkId(sent, id)
    const current = await findCurrent(asked, resource, id)
    const ifVersion = expectedVersion(asked.request.headers['if-match'], current)
    const parsed = await parseInput(contextOf(asked, resource, current), sent)
    const isNew = isMissing(asked, resource, current)
    const issues = [...parsed.issues, ...languageIssues(asked, parsed, current)]
    const { entry } = await perform(resource, sent.document, issues, (tx) =>
      isNew
        ? translation.create(asked, resource, current, parsed, tx)
        : entries.update(actorOf(asked.request), resource.type, { id: current.id }, parsed.input, {
            ...{ ifVersion, tx, status: goalOf(parsed) },
          }),
    )
    return answer(asked, resource, entry, false)
  }

  /** Under a language the entry does not have yet, a change makes its translation (contract §8). */
  function isMissing({ prefixed }: Asked, { type }: EntryResource, current: Entry): boolean {
    return type.localized && prefixed !== undefined && current.locale !== prefixed
  }

  function contextOf(
    asked: Asked,
    resource: EntryResource,
    current: Entry | undefined,
  ): InputContext {
    const { catalogue } = asked
    const findUser = directory.byUuid
    return { catalogue, resource, current, actor: actorOf(asked.request), findUser }
  }

  /** The working copy in the language of the path, else of the default locale, else any. */
  async function findCurrent(asked: Asked, resource: EntryResource, id: string): Promise<Entry> {
    const { defaultLocale } = asked.catalogue.model
    const here = { ...asked, locale: asked.prefixed ?? defaultLocale }
    const current = await finder.find(here, resource, id, 'working', fixed([]))
    if (!current) throw unknownResource()
    return current
  }

  /**
   * With findings of our own the change is tried and undone, so that the caller hears of everything
   * that is wrong at once.
   */
  async function perform<T>(
    resource: EntryResource,
    document: SentResource['document'],
    issues: readonly Issue[],
    run: (tx?: Tx) => Promise<T>,
  ): Promise<T> {
    const told = (error: unknown) => Promise.reject(withPointers(error, resource, document))
    if (issues.length === 0) return run().catch(told)
    const undo = new Error('only tried')
    const found = await transaction(undefined, async (tx) => {
      await run(tx)
      throw undo
    }).catch((error: unknown) => withPointers(error, resource, document))
    throw refuseAll(issues, found)
  }

  async function remove(asked: Asked, resource: Resource, id: string): Promise<undefined> {
    if (resource.kind !== 'entry') return media.remove(asked, resource, id)
    const { type } = resource
    const { prefixed, catalogue } = asked
    const isVariant =
      type.localized && prefixed !== undefined && prefixed !== catalogue.model.defaultLocale
    const current = await findCurrent(asked, resource, id)
    if (isVariant && current.locale !== prefixed) throw unknownResource()
    const ifVersion = expectedVersion(asked.request.headers['if-match'], current)
    const options = { allLocales: !isVariant, ifVersion }
    await entries.remove(actorOf(asked.request), type, { id: current.id }, options)
    asked.reply.code(204).removeHeader('content-type')
  }

  /** What was written, as it can be read now. */
  async function answer(
    asked: Asked,
    resource: EntryResource,
    written: Entry,
    isCreated: boolean,
  ): Promise<Buffer> {
    const showing = parseShowing(asked, resource)
    const include = includesOf(asked, resource, showing)
    const locale = written.locale ?? asked.locale
    const here = { ...asked, locale }
    const state = written.status === 'published' ? 'live' : 'working'
    const entry = await finder.find(here, resource, written.documentId, state, fixed(include))
    if (!entry) throw unknownResource()
    const text = await reading.answerEntry(here, resource, entry)
    if (isCreated) asked.reply.header('location', selfLink(asked, resource, entry))
    asked.reply.header('etag', entryTag(entry, text))
    return Buffer.from(text)
  }
}

export interface WriteTools {
  findCurrent(asked: Asked, resource: EntryResource, id: string): Promise<Entry>
  perform<T>(
    resource: EntryResource,
    document: SentResource['document'],
    issues: readonly Issue[],
    run: (tx?: Tx) => Promise<T>,
  ): Promise<T>
}

function selfLink({ base }: Asked, { names }: EntryResource, entry: Entry): string {
  return `${base}${names.path}/${entry.documentId}?resourceVersion=id%3A${entry.revisionId}`
}

function checkId({ id }: SentResource, expected: string): void {
  if (id === undefined) throw badDocument('/data', 'The resource has no id', 'id')
  if (id.toLowerCase() === expected) return
  throw refusalAt('conflict', 'id_mismatch', { pointer: '/data/id' }, 'Another id than in the URL')
}

function goalOf({ status }: ParsedInput): NonNullable<UpdateOptions['status']> {
  if (status === undefined) return 'keep'
  return status ? 'publish' : 'unpublish'
}

/** An entry keeps its language; what was read in another may be sent back with that. */
function languageIssues(
  { prefixed }: Asked,
  { langcode }: ParsedInput,
  current: Entry,
): readonly Issue[] {
  if (langcode === undefined || langcode === current.locale || langcode === prefixed) return []
  const message = 'The language of an entry cannot be changed; write below /{langcode}/jsonapi'
  return [issueAt({ pointer: '/data/attributes/langcode' }, 'locale', message)]
}
