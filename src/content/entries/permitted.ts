import type { Actor } from '#kernel'
import type { ContentType } from '../model.ts'
import { levelOf, may, type Operation, requireMay } from '../permissions.ts'
import type { CreateOptions, Entries, EntryInput, UpdateOptions } from './ports.ts'

/**
 * Every write asks first whether its actor may make it (content model §9), whichever dialect it comes
 * from. Who may not publish changes working copies only: what it creates is a draft, and what it saves of
 * a live entry waits for somebody who may.
 */
export function withPermissions(entries: Entries): Entries {
  return {
    create: asked(['create'], (actor, type, input, options = {}) => {
      requireSchedule(actor, type, [input], options)
      return entries.create(actor, type, input, asCreated(actor, type, options))
    }),
    update: asked(['update'], (actor, type, target, input, options) => {
      requireSchedule(actor, type, [input], options)
      return entries.update(actor, type, target, input, asSaved(actor, type, options))
    }),
    remove: asked(['delete'], entries.remove),
    publish: asked(['publish'], entries.publish),
    unpublish: asked(['publish'], entries.unpublish),
    discardDraft: asked(['update'], entries.discardDraft),
    restore: asked(['update'], entries.restore),
    upsert: asked(['create', 'update'], (actor, type, key, input, options = {}) => {
      requireSchedule(actor, type, [input], options)
      return entries.upsert(actor, type, key, input, asCreated(actor, type, options))
    }),
    createAll: asked(['create'], (actor, type, list) => {
      requireSchedule(actor, type, inputsOf(list))
      return entries.createAll(actor, type, drafted(actor, type, list))
    }),
    upsertAll: asked(['create', 'update'], (actor, type, key, list) => {
      requireSchedule(actor, type, inputsOf(list))
      return entries.upsertAll(actor, type, key, drafted(actor, type, list))
    }),
    adjust: asked(['update'], entries.adjust),
    inSlot: entries.inSlot,
  }
}

type Write<Rest extends readonly unknown[], Done> = (
  actor: Actor,
  type: ContentType,
  ...rest: Rest
) => Promise<Done>

/** Refused before it began: nobody waits for its turn. */
function asked<Rest extends readonly unknown[], Done>(
  operations: readonly Operation[],
  write: Write<Rest, Done>,
): Write<Rest, Done> {
  return async (actor, type, ...rest) => {
    try {
      for (const operation of operations) requireMay(levelOf(actor), type, operation)
    } catch (error) {
      turnIn(rest.at(-1))?.end()
      throw error
    }
    return write(actor, type, ...rest)
  }
}

function turnIn(options: unknown): CreateOptions['turn'] {
  const { turn }: Pick<CreateOptions, 'turn'> = Object(options)
  return turn
}

function inputsOf(list: readonly { readonly input: EntryInput }[]): readonly EntryInput[] {
  return list.map(({ input }) => input)
}

/** To say when something is published is to publish it. */
function requireSchedule(
  actor: Actor,
  type: ContentType,
  inputs: readonly EntryInput[],
  options: Pick<CreateOptions, 'turn'> = {},
): void {
  const isScheduled = inputs.some(
    ({ publishAtMs, unpublishAtMs }) => publishAtMs !== undefined || unpublishAtMs !== undefined,
  )
  if (!isScheduled || may(levelOf(actor), type, 'publish')) return
  options.turn?.end()
  requireMay(levelOf(actor), type, 'publish')
}

/** Of the public nothing goes live by itself, whatever else it may. */
function mayGoLive(actor: Actor, type: ContentType): boolean {
  return actor.kind !== 'anonymous' && may(actor.access, type, 'publish')
}

function asCreated<Options extends Pick<CreateOptions, 'status'>>(
  actor: Actor,
  type: ContentType,
  options: Options,
): Options {
  return mayGoLive(actor, type) ? options : { ...options, status: 'draft' }
}

function asSaved(actor: Actor, type: ContentType, options: UpdateOptions = {}): UpdateOptions {
  const { status = 'keep' } = options
  if (!type.draftAndPublish || may(levelOf(actor), type, 'publish')) return options
  if (status === 'publish' || status === 'unpublish') {
    options.turn?.end()
    requireMay(levelOf(actor), type, 'publish')
  }
  return { ...options, status: 'draft' }
}

function drafted<Item extends { readonly options: Pick<CreateOptions, 'status'> }>(
  actor: Actor,
  type: ContentType,
  list: readonly Item[],
): readonly Item[] {
  if (mayGoLive(actor, type)) return list
  return list.map((item) => ({ ...item, options: asCreated(actor, type, item.options) }))
}
