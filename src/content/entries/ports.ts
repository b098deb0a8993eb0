import type { Alongside, Receipt, Tx } from '#db'
import type { Actor } from '#kernel'
import type { Entry } from '../entry.ts'
import type { ContentType } from '../model.ts'
import type { Misfit } from '../revisions/kept-body.ts'
import type { JsonMembers } from './input/parsed.ts'
import type { Turn } from './turns.ts'

/**
 * Everything that changes entries. Each call is one transaction with its events, or joins `tx`.
 * Refusals: `invalid` with the path of each fault (unknown attributes have the rule
 * `unknown_field`), `unprocessable` `invalid_reference` and `not_publishable`, `conflict` with the
 * codes `conflict` (unique value, external id, path) and `locale_exists`, `stale`, `not_found`.
 */
export interface Entries {
  create(
    actor: Actor,
    type: ContentType,
    input: EntryInput,
    options?: CreateOptions,
  ): Promise<Written>
  update(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    input: EntryInput,
    options?: UpdateOptions,
  ): Promise<Written>
  /** Removes one variant, or with `allLocales` the whole document; answers what was removed. */
  remove(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    options?: RemoveOptions,
  ): Promise<readonly Entry[]>
  publish(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    options?: WriteOptions,
  ): Promise<Written>
  unpublish(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    options?: WriteOptions,
  ): Promise<Written>
  discardDraft(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    options?: WriteOptions,
  ): Promise<Written>
  /**
   * The working copy says again what it said in a revision; types without drafts are live with it at once. What does
   * not fit any more is told and stays as it is.
   */
  restore(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    revisionId: number,
    options?: WriteOptions,
  ): Promise<Restored>
  /**
   * Finds by external id or a unique attribute and merges, else creates. Unchanged values make no
   * version and no event.
   */
  upsert(
    actor: Actor,
    type: ContentType,
    key: string,
    input: EntryInput,
    options?: CreateOptions,
  ): Promise<Upserted>
  /**
   * For many writes that are made at once: few lists have some under way at a time, so that whoever writes one entry
   * beside them waits for few. Those who write take turns.
   */
  inSlot<T>(actor: Actor, work: () => Promise<T>): Promise<T>
  /**
   * Many new entries, as if they were created one after the other. Those that have nothing to do with other
   * documents share plans of at most `MOST_TOGETHER` entries; each is kept or refused by itself.
   */
  createAll(
    actor: Actor,
    type: ContentType,
    list: readonly NewInput[],
  ): Promise<readonly Done<Written>[]>
  /** The same for upserts by one key. Those that find an entry are writes of their own. */
  upsertAll(
    actor: Actor,
    type: ContentType,
    key: string,
    list: readonly NewInput[],
  ): Promise<readonly Done<Upserted>[]>
  /**
   * Changes an unversioned number of a document at once in every copy and locale, one caller after
   * the other. `by` below the attribute's `min`, or below 0 with `floor: 0`, is refused.
   */
  adjust(
    actor: Actor,
    type: ContentType,
    target: EntryTarget,
    attribute: string,
    change: { readonly by: number; readonly floor?: number } | { readonly to: number },
    options?: WriteOptions,
  ): Promise<Written>
}

/** More would keep other writers waiting for longer than they may (DESIGN §4). */
export const MOST_TOGETHER = 100

/** One of several entries. */
export interface NewInput {
  readonly input: EntryInput
  readonly options: Pick<CreateOptions, 'status' | 'onceId' | 'alongside'>
}

/** What came of one of several writes: what it did, or why it failed. */
export type Done<Value> = { readonly value: Value } | { readonly error: unknown }

/** With a documentId the locale chooses the variant; null means the default locale. */
export type EntryTarget =
  | { readonly id: number }
  | { readonly documentId: string; readonly locale: string | null }

export interface EntryInput {
  /** By attribute name, as the caller sent them; relations in the forms of content model §4. */
  readonly values: Readonly<Record<string, unknown>>
  /**
   * Single members of JSON attributes, null to remove one: put into what each copy holds, so that none takes others
   * from the draft into what is live.
   */
  readonly members?: Readonly<Record<string, JsonMembers>>
  /** Names that are no attributes, in components too; refused unless this says otherwise. */
  readonly unknown?: 'refuse' | 'ignore'
  /**
   * What a component without id means that says the same as the one in its place: that one, so that a record
   * sent again makes no version, or a new one, as clients of the CMS dialects expect.
   */
  readonly components?: 'kept' | 'new'
  /** Only on creation; null or absent: the default locale. */
  readonly locale?: string | null
  /** On creation: of an existing document, to add a translation, or of a new one to choose its id. */
  readonly documentId?: string
  readonly externalId?: string | null
  /** documentId of the parent, null for none. */
  readonly parent?: string | null
  readonly sortOrder?: number
  readonly isRoot?: boolean
  /** The time of publication when it is not now. */
  readonly publishedAtMs?: number
  /** The time and the user of creation, where a dialect lets administrators say them. */
  readonly createdAtMs?: number
  readonly createdBy?: number | null
  /** The time of the last change when it is not now. */
  readonly updatedAtMs?: number
  /**
   * Comes from elsewhere and stays as it was there: live without what has to be there for publishing, and without
   * giving the other languages of its document what they share with it, since each of them comes by itself. What it
   * replaces is not kept as a revision.
   */
  readonly asItWas?: true
  /** When the entry is published and unpublished by itself; null: not. */
  readonly publishAtMs?: number | null
  readonly unpublishAtMs?: number | null
  /** Set by scrapers. */
  readonly source?: Readonly<Record<string, unknown>> | null
}

/** Which entry was written, and whether anything differed. */
export interface WrittenIds {
  readonly id: number
  readonly documentId: string
  readonly changed: boolean
}

/** With the entry as it will be once this is committed. */
interface WrittenEntry extends WrittenIds {
  entry(): Entry
}

interface WriteOptions {
  readonly tx?: Tx | undefined
  /** One of several writes that are made at the same time, in the order of their turns. */
  readonly turn?: Turn | undefined
  /** The version the caller has seen; another one is refused as `stale`. */
  readonly ifVersion?: number | undefined
  /**
   * What another module writes in the same transaction, given the entry's ids: added again to each plan that is
   * made. Not asked for a document that an earlier try has made.
   */
  readonly alongside?: Alongside<WrittenIds> | undefined
}

export interface CreateOptions extends Omit<WriteOptions, 'alongside'> {
  readonly alongside?: Alongside<WrittenEntry> | undefined
  /** `published` when absent; types without draft and publish are always live. */
  readonly status?: 'published' | 'draft' | undefined
  /** An upsert that finds a draft publishes it; otherwise drafts stay drafts. */
  readonly publishesFound?: boolean | undefined
  /**
   * The documentId of the new document, the same in every try of one request. When it exists an earlier try has
   * made it, and it is answered as it is.
   */
  readonly onceId?: string | undefined
  /** The same for a document whose id was chosen by others, which alone does not tell who made it. */
  readonly receipt?: Receipt | undefined
}

export interface UpdateOptions extends WriteOptions {
  /** `replace`: absent attributes are reset to their default or null, unversioned ones stay. */
  readonly mode?: 'merge' | 'replace' | undefined
  /**
   * `keep`: live entries stay live with the new values, drafts stay drafts. `draft`: only the
   * working copy changes. `both`: as `keep`, but a draft beside the live copy stays one: what the input names
   * changes in both copies, and nothing else goes live. `publish` and `unpublish` as named, with the new values.
   */
  readonly status?: 'keep' | 'draft' | 'both' | 'publish' | 'unpublish' | undefined
}

interface RemoveOptions extends WriteOptions {
  readonly allLocales?: boolean | undefined
}

export interface Upserted extends Written {
  readonly created: boolean
}

export interface Restored extends Written {
  /** What the revision said and the entry does not say now. */
  readonly warnings: readonly Misfit[]
}

export interface Written {
  /** The working copy, without related entries. */
  readonly entry: Entry
  /** False: nothing differed, so there is no new version and no event. */
  readonly changed: boolean
}
