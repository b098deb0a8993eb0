import type { Actor, Random } from '#kernel'
import { createPasswords } from '#secrets'
import type { ContentType } from '../model.ts'
import { adjustedInput } from './adjust.ts'
import { create as createEntry } from './create.ts'
import { discardDraft as discardEntry } from './discard.ts'
import { createProblems } from './input/parsed.ts'
import { findByKey, isTaken } from './keys.ts'
import { type Loaded, load } from './load.ts'
import { isLive } from './make-entry.ts'
import { addMissing } from './missing.ts'
import { withPermissions } from './permitted.ts'
import type {
  CreateOptions,
  Entries,
  EntryInput,
  EntryTarget,
  UpdateOptions,
  Upserted,
  Written,
  WrittenIds,
} from './ports.ts'
import { type Prepared, type PreparedOptions, prepare as prepareInput } from './prepare.ts'
import { KeyTaken, refuse } from './refusals.ts'
import { remove as removeEntry } from './remove.ts'
import { restore as restoreEntry } from './restore.ts'
import { createTogether } from './together.ts'
import { update as updateEntry } from './update.ts'
import { createRunner, type Writing, type WritingDeps } from './writing.ts'

interface Deps extends WritingDeps {
  readonly random: Random
}

const NO_CHANGE: EntryInput = { values: {} }

/** Everything that changes entries, alike on both databases. */
export function createEntries(deps: Deps): Entries {
  const passwords = createPasswords(deps)
  const { run } = createRunner(deps)
  const setStatus =
    (status: NonNullable<UpdateOptions['status']>): Entries['publish'] =>
    (actor, type, target, options = {}) =>
      change(actor, type, target, NO_CHANGE, { ...options, status })

  return withPermissions({
    update: change,
    publish: setStatus('publish'),
    unpublish: setStatus('unpublish'),

    create,

    ...createTogether({
      ...{ run, prepare, createPrepared, upsertPrepared },
      ...{ model: deps.model, dialect: deps.db.dialect },
    }),

    remove(actor, type, target, options = {}) {
      return run(actor, type, options, async (writing) => {
        const loaded = await load(writing, target, options.ifVersion)
        const removed = await removeEntry(writing, loaded, options.allLocales === true)
        const { id, document_id: documentId } = loaded.entry
        await options.alongside?.(writing.tx, { id, documentId, changed: true })
        return () => removed
      })
    },

    discardDraft(actor, type, target, options = {}) {
      return run(actor, type, options, async (writing) => {
        const loaded = await load(writing, target, options.ifVersion)
        const written = await discardEntry(writing, loaded)
        await options.alongside?.(writing.tx, idsOf(written))
        return () => written
      })
    },

    restore(actor, type, target, revisionId, options = {}) {
      return run(actor, type, options, async (writing) => {
        const loaded = await load(writing, target, options.ifVersion)
        const restored = await restoreEntry(writing, loaded, revisionId)
        await options.alongside?.(writing.tx, idsOf(restored))
        return () => restored
      })
    },

    upsert,

    adjust(actor, type, target, attribute, by, options = {}) {
      return run(actor, type, options, async (writing) => {
        const loaded = await load(writing, target, options.ifVersion, 'values')
        const prepared = adjustedInput(writing.type, loaded, attribute, by)
        const written = await updateEntry(writing, loaded, prepared, { status: 'draft' })
        await options.alongside?.(writing.tx, idsOf(written))
        return () => written
      })
    },
  })

  async function create(
    actor: Actor,
    type: ContentType,
    input: EntryInput,
    options: CreateOptions = {},
  ): Promise<Written> {
    const prepared = await prepare(type, input, isLive(type, options.status)).catch(ended(options))
    return createPrepared(actor, type, prepared, options)
  }

  function createPrepared(
    actor: Actor,
    type: ContentType,
    prepared: () => Prepared,
    options: PreparedOptions,
  ): Promise<Written> {
    return run(actor, type, options, (writing) =>
      createEntry(writing, { prepared: prepared(), options }),
    )
  }

  async function upsert(
    actor: Actor,
    type: ContentType,
    key: string,
    input: EntryInput,
    options: CreateOptions = {},
  ): Promise<Upserted> {
    const prepared = await prepare(type, input).catch(ended(options))
    return upsertPrepared(actor, type, key, prepared, options)
  }

  function upsertPrepared(
    actor: Actor,
    type: ContentType,
    key: string,
    prepared: () => Prepared,
    options: PreparedOptions,
  ): Promise<Upserted> {
    return run<Upserted>(actor, type, options, async (writing) => {
      const once = prepared()
      const [found] = await findByKey(writing, key, [once])
      if (!found) {
        const written = await createNew(writing, key, once, options)
        return () => ({ ...written(), created: true })
      }
      const loaded = await load(writing, found, options.ifVersion)
      const status = statusOfFound(loaded, options)
      const written = await updateEntry(writing, loaded, once, { status })
      await options.alongside?.(writing.tx, { ...idsOf(written), entry: () => written.entry })
      return () => ({ ...written, created: false })
    })
  }

  /** Whoever made the entry since we looked made it for us too. */
  async function createNew(
    writing: Writing,
    key: string,
    prepared: Prepared,
    options: CreateOptions,
  ): Promise<() => Written> {
    try {
      return await createEntry(writing, { prepared, options })
    } catch (error) {
      throw isTaken(error, key) ? new KeyTaken(error) : error
    }
  }

  async function change(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    input: EntryInput,
    options: UpdateOptions = {},
  ) {
    const first = await prepareInput(type, input, deps.model(), passwords).catch(ended(options))
    return run(actor, type, options, async (writing) => {
      const loaded = await load(writing, target, options.ifVersion)
      // Refused with what the stored entry lacks besides, so that its sender hears of all at once.
      const prepared = { ...first, problems: createProblems(first.problems.issues) }
      const written = await updateEntry(writing, loaded, prepared, options)
      await options.alongside?.(writing.tx, idsOf(written))
      return () => written
    })
  }

  /** Each attempt collects its own problems, so that one tried again does not report them twice. */
  async function prepare(
    type: ContentType,
    input: EntryInput,
    isWhole = false,
  ): Promise<() => Prepared> {
    const first = await prepareInput(type, input, deps.model(), passwords)
    const { parsed, problems } = first
    if (isWhole && problems.issues.length > 0) addMissing(type, parsed, problems)
    refuse(problems)
    return () => ({ ...first, problems: createProblems() })
  }
}

function statusOfFound(
  { entry }: Loaded,
  { status, publishesFound }: CreateOptions,
): 'draft' | 'publish' | 'keep' {
  if (status === 'draft') return 'draft'
  return publishesFound && entry.has_live === 0 ? 'publish' : 'keep'
}

function idsOf({ entry: { id, documentId }, changed }: Written): WrittenIds {
  return { id, documentId, changed }
}

/** Refused before it began: nobody waits for its turn. */
function ended({ turn }: Pick<UpdateOptions, 'turn'>) {
  return (error: unknown): never => {
    turn?.end()
    throw error
  }
}
