import { writerOf } from '#access'
import type { Entry, EntryInput, UpdateOptions } from '#content'
import { entryTag, seenByWriter, UNSEEN } from '#content-dialect'
import { isNamed } from '#content-query'
import { methodNotAllowed, onceId, receiptOf } from '#http'
import { type Issue, isUuid } from '#kernel'
import { checkId, parseResource } from './body/document.ts'
import { type InputContext, type ParsedInput, parseInput } from './body/input.ts'
import { issueAt, JSONAPI, refusalAt, unknownResource } from './errors.ts'
import { includesOf, parseShowing } from './query/parse.ts'
import { createFinder, fixed } from './read/find.ts'
import type { Related } from './read/related.ts'
import type { ReadDeps, Reading } from './read.ts'
import type { Asked } from './request.ts'
import type { EntryResource, Resource } from './target/catalogue.ts'
import type { Target } from './target.ts'
import { createMediaWriting } from './write/media.ts'
import { createRelationships } from './write/relationships.ts'
import { createTools, done, versionFor } from './write/tools.ts'
import { createTranslation } from './write/translation.ts'
import { createUploads } from './write/upload.ts'

/** Everything that changes something (contract §7). */
export function createWriting(deps: ReadDeps, reading: Reading, related: Related) {
  const { content, directory } = deps
  const { entries } = content
  const finder = createFinder(content)
  const translation = createTranslation(deps)
  const tools = createTools(deps)
  const relationships = createRelationships(deps, related, tools)
  const media = createMediaWriting(deps)
  const uploads = createUploads(deps, tools)
  return { write }

  function write(asked: Asked, target: Target): Promise<Buffer | undefined> {
    switch (target.kind) {
      case 'collection':
        return create(asked, target.resource)
      case 'individual':
        return asked.request.method === 'PATCH'
          ? change(asked, target.resource, target.id)
          : remove(asked, target.resource, target.id)
      case 'relationship':
        return relationships.change(asked, target)
      case 'related':
        return uploads.attach(asked, target)
      case 'upload':
        return uploads.store(asked, target.resource, target.name)
      case 'entryPoint':
        throw methodNotAllowed(asked.reply, ['GET', 'HEAD'])
    }
  }

  async function create(asked: Asked, resource: Resource): Promise<Buffer | undefined> {
    if (resource.kind !== 'entry') return media.create(asked, resource)
    await checkAnswer(asked, resource)
    const sent = parseResource(asked.request, resource)
    const parsed = await parseInput(contextOf(asked, resource, undefined), sent)
    const documentId = await chosenId(asked, resource, sent.id)
    const locale = parsed.langcode ?? asked.prefixed ?? null
    const input: EntryInput = {
      ...parsed.input,
      locale: resource.type.localized ? locale : null,
      ...(documentId === undefined ? {} : { documentId }),
    }
    const status = parsed.status === false ? 'draft' : 'published'
    const { entry } = await tools.perform(resource, sent.document, parsed.issues, (tx) =>
      entries.create(writerOf(asked.request), resource.type, input, {
        ...{ status, tx, onceId: onceId(asked.request), receipt: receiptOf(asked.request) },
      }),
    )
    asked.reply.code(201)
    return answer(asked, resource, entry, true)
  }

  /** Contract §7.1: a UUID is used, anything else refused, and one that is taken is a conflict. */
  async function chosenId(asked: Asked, resource: EntryResource, id: string | undefined) {
    if (id === undefined) return undefined
    const at = { pointer: '/data/id' }
    if (!isUuid(id)) throw refusalAt('unprocessable', 'invalid_id', at, 'id must be a UUID')
    const documentId = id.toLowerCase()
    if (receiptOf(asked.request)?.isThere) return documentId
    const everywhere = { ...asked, viewer: UNSEEN }
    const taken = await finder.find(everywhere, resource, documentId, 'working', fixed([]))
    if (taken) throw refusalAt('conflict', 'id_taken', at, `${id} exists already`)
    return documentId
  }

  async function change(asked: Asked, resource: Resource, id: string): Promise<Buffer | undefined> {
    if (resource.kind !== 'entry') return media.change(asked, resource, id)
    await checkAnswer(asked, resource)
    const sent = parseResource(asked.request, resource)
    checkId(sent, id)
    const current = await tools.findCurrent(asked, resource, id)
    const ifVersion = versionFor(asked, current)
    const parsed = await parseInput(contextOf(asked, resource, current), sent)
    const isNew = isMissing(asked, resource, current)
    const issues = [...parsed.issues, ...languageIssues(asked, parsed, current)]
    const options = { ifVersion, status: goalOf(parsed, current) }
    const { entry } = await tools.perform(resource, sent.document, issues, (tx) => {
      if (isNew) return translation.create(asked, resource, current, parsed, tx)
      const target = { id: current.id }
      const actor = writerOf(asked.request)
      return entries.update(actor, resource.type, target, parsed.input, { ...options, tx })
    })
    return answer(asked, resource, entry, false)
  }

  /** Under a language the entry does not have yet, a change makes its translation (contract §8). */
  function isMissing({ prefixed }: Asked, { type }: EntryResource, current: Entry): boolean {
    return type.localized && prefixed !== undefined && current.locale !== prefixed
  }

  function contextOf(
    { catalogue, request, prefixed }: Asked,
    resource: EntryResource,
    current: Entry | undefined,
  ): InputContext {
    const locale = prefixed ?? catalogue.model.defaultLocale
    const finding = { findUser: directory.byUuid, findPath: content.findPath }
    return { catalogue, resource, current, locale, actor: writerOf(request), ...finding }
  }

  async function remove(asked: Asked, resource: Resource, id: string): Promise<undefined> {
    if (resource.kind !== 'entry') return media.remove(asked, resource, id)
    const { type } = resource
    const { prefixed, catalogue } = asked
    const isVariant =
      type.localized && prefixed !== undefined && prefixed !== catalogue.model.defaultLocale
    const current = await tools.findCurrent(asked, resource, id)
    if (isVariant && current.locale !== prefixed) throw unknownResource()
    const options = { allLocales: !isVariant, ifVersion: versionFor(asked, current) }
    await entries.remove(writerOf(asked.request), type, { id: current.id }, options)
    return done(asked)
  }

  /**
   * Before anything is written, so that nothing is half done: what the caller may not see with the answer is refused by
   * asking for an entry that cannot exist.
   */
  async function checkAnswer(asked: Asked, resource: EntryResource): Promise<void> {
    const include = includesOf(asked, resource, parseShowing(asked, resource))
    const isSeen = seenByWriter(asked.viewer, { type: resource.type, status: 'published' }) !== null
    if (!isSeen || !isNamed(include)) return
    await finder.find(asked, resource, NO_DOCUMENT, 'live', fixed(include))
  }

  /** What was written, as it can be read now. */
  async function answer(
    asked: Asked,
    resource: EntryResource,
    written: Entry,
    isCreated: boolean,
  ): Promise<Buffer | undefined> {
    if (!seenByWriter(asked.viewer, written)) return unseen(asked, resource, written, isCreated)
    const include = includesOf(asked, resource, parseShowing(asked, resource))
    const here = { ...asked, locale: written.locale ?? asked.locale }
    const state = written.status === 'published' ? 'live' : 'working'
    const entry = await finder.find(here, resource, written.documentId, state, fixed(include))
    if (!entry) throw unknownResource()
    const text = await reading.answerEntry(here, resource, entry)
    if (isCreated) asked.reply.header('location', selfLink(asked, resource, entry))
    asked.reply.header('etag', entryTag(entry, text))
    return Buffer.from(text)
  }
}

const NO_DOCUMENT = '00000000-0000-0000-0000-000000000000'

/** Who may not read what it has written hears that it was, and under which id. */
function unseen(
  asked: Asked,
  { names }: EntryResource,
  { documentId }: Entry,
  isCreated: boolean,
): Buffer | undefined {
  if (!isCreated) return done(asked)
  const data = { type: names.name, id: documentId }
  return Buffer.from(JSON.stringify({ jsonapi: JSONAPI, data }))
}

function selfLink({ base }: Asked, { names }: EntryResource, entry: Entry): string {
  return `${base}${names.path}/${entry.documentId}?resourceVersion=id%3A${entry.revisionId}`
}

/** What is so already is no wish: who may not publish sends back what was read. */
function goalOf(
  { status }: ParsedInput,
  current: Pick<Entry, 'status'>,
): NonNullable<UpdateOptions['status']> {
  if (status === undefined || current.status === (status ? 'published' : 'draft')) return 'keep'
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
