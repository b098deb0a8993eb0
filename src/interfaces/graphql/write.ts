import { keyRequired } from '#access'
import type { ContentType, Entry, EntryTarget, Written } from '#content'
import { workingCopies } from '#content-dialect'
import { firstPage, type LocaleChoice } from '#content-query'
import { type Actor, DomainError, hasAccess, invalid, isUuid, notFound } from '#kernel'
import { parseIntegerId } from '#paging'
import { type Input, toInput } from './body/input.ts'
import type { GraphqlDeps } from './deps.ts'
import { type Arguments, argumentsOf } from './query/arguments.ts'
import { localeIn } from './query/level.ts'
import type { Picked } from './query/picked.ts'
import type { Answer, createRootReads } from './read/root.ts'
import type { Asked } from './request.ts'
import type { Action, Meaning } from './schema/meaning.ts'
import { plainId, targetOf } from './target.ts'

/** One change with everything it needs. */
interface Change {
  readonly asked: Asked
  readonly actor: Actor
  readonly root: Picked
  readonly type: ContentType
  readonly given: Arguments
  readonly locale: LocaleChoice
}

/** Changes, each a transaction of its own; what they leave behind is read as any other entry. */
export function createWrites(
  { content }: GraphqlDeps,
  reads: Pick<ReturnType<typeof createRootReads>, 'entry' | 'file'>,
) {
  const { entries, media } = content
  const actions: Record<Action, (change: Change) => Promise<Answer>> = {
    create: async (change) => shown(change, await insert(change, inputOf(change))),
    update: async (change) => shown(change, await update(change)),
    remove,
    localize,
    publish: async (change) => shown(change, await publish(change, 'publish')),
    unpublish: async (change) => shown(change, await publish(change, 'unpublish')),
  }
  return { change, changeFile }

  async function change(
    asked: Asked,
    root: Picked,
    { action, to: type }: Extract<Meaning, { of: 'change' }>,
  ): Promise<Answer> {
    const actor = requireWrite(asked.actor)
    const given = argumentsOf(root, asked.variables)
    const locale = localeIn(asked.model, type, given)
    return actions[action]({ asked, actor, root, type, given, locale })
  }

  async function changeFile(
    asked: Asked,
    root: Picked,
    action: 'update' | 'remove',
  ): Promise<Answer> {
    requireWrite(asked.actor)
    const { id, info } = argumentsOf(root, asked.variables)
    const text = plainId(String(id), 'files') ?? ''
    const target = isUuid(text) ? { uuid: text.toLowerCase() } : { id: parseIntegerId(text) ?? 0 }
    const file = await media.find(target)
    if (!file) throw notFound('file')
    if (action === 'update') {
      await media.describe(file.id, Object(info))
      return reads.file(asked, root)
    }
    // What is gone cannot be read any more.
    const answer = await reads.file(asked, root)
    await media.remove(file.id)
    return answer
  }

  async function insert(
    { actor, type, locale }: Change,
    { values, publishedAtMs }: Input,
    documentId?: string,
  ): Promise<Written> {
    if (locale.kind === 'all') throw fault('locale', 'An entry is written in one language')
    const input = {
      values,
      locale: locale.kind === 'one' && type.localized ? locale.code : null,
      ...(documentId === undefined ? {} : { documentId }),
      ...(typeof publishedAtMs === 'number' ? { publishedAtMs } : {}),
    }
    const isDraft = type.draftAndPublish && publishedAtMs === null
    return entries.create(actor, type, input, { status: isDraft ? 'draft' : 'published' })
  }

  async function update(change: Change): Promise<Written> {
    const { actor, type } = change
    const { values, publishedAtMs } = inputOf(change)
    const target = await targetFor(change)
    if (!target) return insertSingle(change)
    const status = statusFor(type, publishedAtMs)
    const publishes = status === 'publish' && typeof publishedAtMs === 'number'
    const input = { values, ...(publishes ? { publishedAtMs } : {}) }
    return entries.update(actor, type, target, input, { mode: 'merge', status })
  }

  /** A single, or this language of it, is created when it is not there yet. */
  async function insertSingle(change: Change): Promise<Written> {
    const other = await findSingle(change, { kind: 'all' })
    return insert(change, inputOf(change), other?.documentId)
  }

  async function publish(change: Change, to: 'publish' | 'unpublish'): Promise<Written> {
    const target = await getTarget(change)
    return entries[to](change.actor, change.type, target)
  }

  async function remove(change: Change): Promise<Answer> {
    const { asked, actor, root, type, locale } = change
    const target = await getTarget(change)
    const query = workingCopies(type, 'id' in target ? { kind: 'all' } : inOne(locale))
    const found = await content.findOne(asked.viewer, query, target)
    if (!found) throw notFound('entry')
    // What is gone cannot be read any more.
    const answer = await reads.entry(asked, root, type, found.id, false)
    const isDocument = 'documentId' in target && locale.kind === 'default'
    await entries.remove(actor, type, target, { allLocales: isDocument || locale.kind === 'all' })
    return answer
  }

  async function localize(change: Change): Promise<Answer> {
    const { type, given, locale } = change
    if (locale.kind !== 'one') throw fault('locale', 'locale is required')
    const base =
      type.kind === 'singleType'
        ? await findSingle(change, { kind: 'all' })
        : await findBase(change, given['id'])
    if (!base) throw notFound('entry')
    return shown(change, await insert(change, inputOf(change), base.documentId))
  }

  async function findBase({ asked, type }: Change, id: unknown): Promise<Entry | undefined> {
    const target = targetOf(String(id ?? ''), type, { kind: 'default' })
    if (!target) return undefined
    const query = workingCopies(type, { kind: 'id' in target ? 'all' : 'default' })
    return content.findOne(asked.viewer, query, target)
  }

  async function findSingle({ asked, type }: Change, locale: LocaleChoice) {
    const query = { ...workingCopies(type, locale), sort: [], search: '', page: firstPage(1) }
    return (await content.find(asked.viewer, query)).entries[0]
  }

  /** Undefined: the single is not there. */
  async function targetFor(change: Change): Promise<EntryTarget | undefined> {
    const { type, given, locale } = change
    if (type.kind === 'singleType') {
      const found = await findSingle(change, inOne(locale))
      return found && { id: found.id }
    }
    const target = targetOf(String(given['id']), type, locale)
    if (!target) throw notFound('entry')
    return target
  }

  async function getTarget(change: Change): Promise<EntryTarget> {
    const target = await targetFor(change)
    if (!target) throw notFound('entry')
    return target
  }

  /** The copy that was written: the live one where the entry is live as it stands. */
  function shown({ asked, root, type }: Change, { entry }: Written): Promise<Answer> {
    const isLive = !type.draftAndPublish || entry.status === 'published'
    return reads.entry(asked, root, type, entry.id, isLive)
  }
}

function inputOf({ asked, type, given }: Change): Input {
  return toInput(asked.model, type, given['data'])
}

function inOne(locale: LocaleChoice): LocaleChoice {
  return locale.kind === 'all' ? { kind: 'default' } : locale
}

function statusFor(
  { draftAndPublish }: ContentType,
  publishedAtMs: Input['publishedAtMs'],
): 'keep' | 'publish' | 'unpublish' {
  if (!draftAndPublish || publishedAtMs === undefined) return 'keep'
  return publishedAtMs === null ? 'unpublish' : 'publish'
}

function requireWrite(actor: Actor | null): Actor {
  if (!actor) throw keyRequired()
  if (hasAccess(actor, 'write')) return actor
  throw new DomainError('forbidden', 'forbidden', 'Changes need the level write', {
    facts: { required: 'write' },
  })
}

function fault(name: string, message: string): DomainError {
  return invalid([{ path: [name], rule: 'invalid', message }])
}
