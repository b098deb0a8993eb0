import {
  type Entry,
  type EntryInput,
  type EntryTarget,
  orChange,
  type UpdateOptions,
} from '#content'
import { expectedVersion, faultOf } from '#content-dialect'
import { spelled } from '#content-query'
import type { Tx } from '#db'
import { onceId, receiptOf } from '#http'
import { DomainError, type Issue, invalid, notFound } from '#kernel'
import { badParameter } from '#paging'
import { type Body, missingFrom, naming, needsCurrent, parseBody, unwrap } from './body/parse.ts'
import type { RestDeps } from './deps.ts'
import { type ParsedOne, parseLocale } from './query/parse.ts'
import { createFinder } from './read/find.ts'
import { type Asked, reportIgnored, targetOf } from './request.ts'
import type { Action, Address, AddressedRevision } from './target.ts'
import { createAnswering } from './write/written.ts'

/** Creating, changing and removing records (contract §3). */
export function createWriting({ content, transaction }: Pick<RestDeps, 'content' | 'transaction'>) {
  const { entries } = content
  const finder = createFinder(content)
  const { readAnswer, answerCreated, answerWritten, answerRestored } = createAnswering(content)
  return { create, update, remove, act, restore, prepareCreation, readAnswer, answerCreated }

  async function create(asked: Asked): Promise<string> {
    const answer = await readAnswer(asked)
    const made = await prepareCreation(asked, asked.request.body)
    const { type } = asked.resource
    const options = { ...made.options, receipt: receiptOf(asked.request) }
    const work = entries.create(asked.actor, type, made.input, options)
    return answerCreated(asked, answer, await naming(made, work))
  }

  /** What `POST` was sent, checked against everything but the values themselves. */
  async function prepareCreation(asked: Asked, sent: unknown, number = 0) {
    const { model, type, version } = asked.resource
    const parsed = parseBody(unwrap(sent), { model, type, version, mode: 'create' })
    const input = withLocale(asked, parsed.input)
    if (input.documentId !== undefined) await finder.requireDocument(asked, input.documentId)
    // What has a time for its publication waits for it.
    const given = statusAsked(asked)
    const isDraft = given === 'draft' || input.publishAtMs != null
    const status = parsed.status ?? (isDraft ? 'draft' : undefined)
    // Whoever says so of a record that is there already wants it to be shown.
    const publishesFound = (parsed.status ?? given) === 'published'
    const options = { status, publishesFound, onceId: onceId(asked.request, number) }
    return { input, options, withWireNames: parsed.withWireNames }
  }

  /** PUT and PATCH; a single that does not exist yet is made by PUT. */
  async function update(
    asked: Asked,
    address: Address,
    mode: 'merge' | 'replace',
  ): Promise<string> {
    const answer = await readAnswer(asked)
    const { resource, request, actor } = asked
    const { model, type, version } = resource
    const body = unwrap(request.body)
    if (address.kind === 'nothing') throw notFound()
    const current = await lookBefore(asked, address, body)
    if (address.kind === 'single' && !current) return putSingle(asked, answer, address, mode)
    const parsed = parseBody(body, { model, type, version, mode: 'change', current })
    const options: UpdateOptions = {
      mode,
      status: statusFor(asked),
      ifVersion: versionFor(asked, current),
    }
    const target = targetFor(asked, address, current)
    const perform = (tx?: Tx) =>
      naming(parsed, entries.update(actor, type, target, parsed.input, { ...options, tx }))
    const missing = mode === 'replace' ? missingFrom(body, type) : []
    if (missing.length > 0) throw await incomplete(missing, faultOf(transaction, perform))
    return answerWritten(asked, answer, await perform())
  }

  async function putSingle(
    asked: Asked,
    answer: ParsedOne,
    address: Address,
    mode: 'merge' | 'replace',
  ): Promise<string> {
    if (mode === 'merge' || asked.request.headers['if-match'] !== undefined) throw notFound()
    const { type } = asked.resource
    const made = await prepareCreation(asked, asked.request.body)
    const other = await finder.anyVariant(asked)
    const input = { ...made.input, ...(other ? { documentId: other.documentId } : {}) }
    const work = naming(made, entries.create(asked.actor, type, input, made.options))
    const making = work.then((written) => answerCreated(asked, answer, written))
    return orChange(making, async () => {
      const isMade = (await finder.current(asked, address)) !== undefined
      return isMade ? update(asked, address, mode) : undefined
    })
  }

  async function remove(asked: Asked, address: Address): Promise<undefined> {
    const { resource, actor, context, reply } = asked
    reportIgnored(asked, ['locale'])
    const current = await lookBefore(asked, address, {})
    const target = targetFor(asked, address, current)
    const locale = parseLocale(context)
    // A document id without a language names the document, not one of its variants.
    const isWhole = address.kind !== 'id' && locale.kind === 'default'
    await entries.remove(actor, resource.type, target, {
      allLocales: isWhole || locale.kind === 'all',
      ifVersion: versionFor(asked, current),
    })
    reply.code(204)
  }

  async function act(asked: Asked, address: Address, action: Action): Promise<string> {
    const answer = await readAnswer(asked)
    const { resource, actor } = asked
    const current = await lookBefore(asked, address, {})
    const target = targetFor(asked, address, current)
    const perform = {
      publish: entries.publish,
      unpublish: entries.unpublish,
      'discard-draft': entries.discardDraft,
    }[action]
    const options = { ifVersion: versionFor(asked, current) }
    return answerWritten(asked, answer, await perform(actor, resource.type, target, options))
  }

  /** As a new working copy; says what of the revision could not be restored. */
  async function restore(asked: Asked, { address, revisionId }: AddressedRevision) {
    const answer = await readAnswer(asked)
    const { resource, actor } = asked
    const current = await lookBefore(asked, address, {})
    const target = targetFor(asked, address, current)
    const options = { ifVersion: versionFor(asked, current) }
    const restored = await entries.restore(actor, resource.type, target, revisionId, options)
    return answerRestored(asked, answer, restored)
  }

  /** Read only when something depends on it: a tag, a read-only member, the id of a single. */
  async function lookBefore(asked: Asked, address: Address, body: Body) {
    const { type, version } = asked.resource
    const isNeeded =
      address.kind === 'single' ||
      asked.request.headers['if-match'] !== undefined ||
      needsCurrent(body, type, version)
    if (!isNeeded) return undefined
    const current = await finder.current(asked, address)
    if (!current && address.kind !== 'single') throw notFound()
    return current
  }
}

export type Writing = ReturnType<typeof createWriting>

/** What is said of the input, as opposed to the record not being there. */
const ABOUT_INPUT = ['invalid', 'unprocessable', 'conflict']

/**
 * Why a full update that lacks something is refused: with all that is wrong with it besides, and an
 * unknown record as such.
 */
async function incomplete(missing: readonly Issue[], trying: Promise<unknown>): Promise<unknown> {
  const fault = await trying
  const refusal = fault instanceof DomainError ? fault : undefined
  if (fault !== undefined && !ABOUT_INPUT.includes(refusal?.kind ?? '')) return fault
  const others = refusal?.kind === 'invalid' ? refusal.issues : []
  const known = new Set(missing.map(({ path }) => path.join('.')))
  return invalid([...missing, ...others.filter(({ path }) => !known.has(path.join('.')))])
}

/** The version that `If-Match` lets be changed. */
function versionFor({ request }: Asked, current: Entry | undefined): number | undefined {
  return current && expectedVersion(request.headers['if-match'], current, 'record')
}

/** What becomes of a record that is changed. `draft`: only its working copy changes; `published`: a draft goes live, too. */
export function statusFor(asked: Asked): 'draft' | 'publish' | 'keep' {
  const status = statusAsked(asked)
  return status === 'published' ? 'publish' : (status ?? 'keep')
}

function statusAsked({ resource, context }: Asked): 'draft' | 'published' | undefined {
  if (!resource.type.draftAndPublish) return undefined
  const status = context.parameters.text('status')
  if (status === undefined || status === 'published' || status === 'draft') return status
  throw badParameter('status', 'must be draft or published')
}

/** The body's own `locale` wins over the one of the query. */
function withLocale({ context }: Asked, input: EntryInput): EntryInput {
  const { model, type, parameters } = context
  if (!type.localized || input.locale !== undefined) return input
  const given = parameters.text('locale')
  return given ? { ...input, locale: spelled(model, given) } : input
}

function targetFor(asked: Asked, address: Address, current: Entry | undefined): EntryTarget {
  if (address.kind !== 'single') return targetOf(address, parseLocale(asked.context))
  if (!current) throw notFound()
  return { id: current.id }
}
