import { writerOf } from '#access'
import { type Entry, type EntryTarget, orChange, type Written } from '#content'
import { seenByWriter, UNSEEN, workingCopies } from '#content-dialect'
import type { ContentType } from '#content-model'
import {
  firstPage,
  type LocaleChoice,
  type Operation,
  requireMay,
  requireWrite,
} from '#content-query'
import { type Actor, type DomainError, invalid, isUuid, notFound } from '#kernel'
import { parseIntegerId } from '#paging'
import { type Input, toInput } from './body/input.ts'
import type { GraphqlDeps } from './deps.ts'
import { type Arguments, argumentsOf } from './query/arguments.ts'
import { localeIn } from './query/level.ts'
import type { Picked } from './query/picked.ts'
import { type Answer, type createRootReads, nothing } from './read/root.ts'
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
  deps: GraphqlDeps,
  reads: Pick<ReturnType<typeof createRootReads>, 'entry' | 'file'>,
) {
  const { content } = deps
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
    const actor = await admit(asked, type, OPERATIONS[action])
    const given = argumentsOf(root, asked.variables)
    const locale = localeIn(asked.model, type, given)
    return actions[action]({ asked, actor, root, type, given, locale })
  }

  /** Where the schema promises the entry, who could not see it is refused before it is written. */
  async function admit(asked: Asked, type: ContentType, operation: Operation): Promise<Actor> {
    const { viewer, schema, request } = asked
    requireMay(viewer.level, type, operation)
    const isSeen = seenByWriter(viewer, { type, status: 'draft' }) !== null
    if (schema.form !== 'cms' && !isSeen) requireWrite(asked.viewer, 'Changing this')
    if (!asked.actor) await deps.admitForm(request)
    return writerOf(request)
  }

  async function changeFile(
    asked: Asked,
    root: Picked,
    action: 'update' | 'remove',
  ): Promise<Answer> {
    requireWrite(asked.viewer, 'Changing this')
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
    const input = inputOf(change)
    const target = await targetFor(change)
    return target ? edit(change, target, input) : putSingle(change, input)
  }

  function edit(
    { actor, type }: Change,
    target: EntryTarget,
    { values, publishedAtMs }: Input,
  ): Promise<Written> {
    const status = statusFor(type, publishedAtMs)
    const publishes = status === 'publish' && typeof publishedAtMs === 'number'
    const time = publishes ? { publishedAtMs } : {}
    const input = { values, components: 'new', ...time } as const
    return entries.update(actor, type, target, input, { mode: 'merge', status })
  }

  /** A single, or this language of it, is created when it is not there yet. */
  async function putSingle(change: Change, input: Input): Promise<Written> {
    const other = await findSingle(change, { kind: 'all' })
    return orChange(insert(change, input, other?.documentId), async () => {
      const target = await targetFor(change)
      return target && edit(change, target, input)
    })
  }

  async function publish(change: Change, to: 'publish' | 'unpublish'): Promise<Written> {
    const target = await getTarget(change)
    return entries[to](change.actor, change.type, target)
  }

  async function remove(change: Change): Promise<Answer> {
    const { asked, actor, root, type, locale } = change
    const target = await getTarget(change)
    const query = workingCopies(type, 'id' in target ? { kind: 'all' } : inOne(locale))
    const found = await content.findOne(UNSEEN, query, target)
    if (!found) throw notFound('entry')
    // What is gone cannot be read any more.
    const state = seenByWriter(asked.viewer, found)
    const answer = state
      ? await reads.entry(asked, root, type, found.id, state === 'live')
      : nothing
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

  async function findBase({ type }: Change, id: unknown): Promise<Entry | undefined> {
    const target = targetOf(String(id ?? ''), type, { kind: 'default' })
    if (!target) return undefined
    const query = workingCopies(type, { kind: 'id' in target ? 'all' : 'default' })
    return content.findOne(UNSEEN, query, target)
  }

  async function findSingle({ type }: Change, locale: LocaleChoice) {
    const query = { ...workingCopies(type, locale), sort: [], search: '', page: firstPage(1) }
    return (await content.find(UNSEEN, query)).entries[0]
  }

  /** Undefined: the single is not there. */
  async function targetFor(change: Change): Promise<EntryTarget | undefined> {
    const { type, given, locale } = change
    if (type.kind === 'singleType') {
      const found = await findSingle(change, inOne(locale))
      return found && { id: found.id }
    }
    const target = targetOf(String(given['id']), type, locale)
    if (!target || !(await isIn(type, locale, target))) throw notFound('entry')
    return target
  }

  /** A number names one language already: with another it names nothing, as where it is read. */
  async function isIn(type: ContentType, locale: LocaleChoice, target: EntryTarget) {
    if (locale.kind !== 'one' || !('id' in target)) return true
    const found = await content.findOne(UNSEEN, workingCopies(type, { kind: 'all' }), target)
    return found?.locale === locale.code
  }

  async function getTarget(change: Change): Promise<EntryTarget> {
    const target = await targetFor(change)
    if (!target) throw notFound('entry')
    return target
  }

  /** The copy that was written: the live one where the entry is live as it stands. */
  async function shown({ asked, root, type }: Change, { entry }: Written): Promise<Answer> {
    if (!seenByWriter(asked.viewer, entry)) return nothing
    const isLive = !type.draftAndPublish || entry.status === 'published'
    return reads.entry(asked, root, type, entry.id, isLive)
  }
}

const OPERATIONS: Record<Action, Operation> = {
  ...{ create: 'create', update: 'update', remove: 'delete', localize: 'create' },
  ...{ publish: 'publish', unpublish: 'publish' },
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

function fault(name: string, message: string): DomainError {
  return invalid([{ path: [name], rule: 'invalid', message }])
}
