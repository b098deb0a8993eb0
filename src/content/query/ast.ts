import type { EntryStatus } from '../entry.ts'
import type { ContentType, RelationAttribute } from '../model.ts'
import type { Operand, Slot } from './slot.ts'

/**
 * The one question every dialect asks of the store. Dialects parse their URLs into it with names as
 * the caller wrote them; `resolve` checks every name against the model and the caller's rights, so
 * that unknown fields and operators never reach SQL.
 */
export interface ContentQuery {
  readonly type: ContentType
  readonly state: CopyState
  readonly locale: LocaleChoice
  readonly filter: Filter | null
  /** Case-insensitive substring over id and all searchable attributes; '' means none. */
  readonly search: Operand<string>
  /** `id` ascending is always appended as the last key. */
  readonly sort: readonly SortKey[]
  readonly page: PageChoice
  readonly include: readonly Include[]
  /** Only entries with this status; needs the state `working`. */
  readonly status?: EntryStatus
  /** Only entries that this copy of another entry links to, from whichever side. */
  readonly linkedFrom?: {
    readonly relation: RelationAttribute
    readonly copyNo: Operand<number>
    readonly documentId: Operand<string>
  }
  /** Only the one entry, or the variants of the one document. */
  readonly only?: OnlyOne
  /** What is wanted of entries, at every level; to look at any other member is a mistake, which throws. */
  readonly detail?: Detail
  /** Where missing values sort: content model §10 says lowest, JSON:API last. */
  readonly nulls?: 'lowest' | 'last'
}

/** `brief`: ids, locale, times and values. `placed`: these, place in the tree and external id. */
export type Detail = 'brief' | 'placed' | 'whole'

type OnlyOne = { readonly id: Operand<number> } | { readonly documentId: Operand<string> }

/**
 * One list over several types. `filter`, `search` and `sort` are asked of all of them: what cannot be
 * asked of a type (a name it does not have, a value its attribute cannot take) is not true of its
 * entries, so that its negation is, and sorts as missing. What can be asked of none is refused.
 * Missing values sort lowest; entries that are equal then stand by `createdAt` and `documentId`.
 */
export interface ListQuery extends Pick<ContentQuery, 'state' | 'filter' | 'search' | 'sort'> {
  readonly types: readonly ListedType[]
  /** Types that are not localised show their entries whatever is chosen. */
  readonly locale: LocaleChoice
  readonly page: OffsetPage
  /** Types the caller may know of: relations to others hold nothing. Those it may not read never count. */
  exists?(type: ContentType): boolean
}

/** One type of the list with what is asked of it alone. */
export interface ListedType {
  readonly type: ContentType
  /**
   * Besides the common filter; here every name must exist. `{ kind: 'or', of: [] }` shows none of its
   * entries and costs nothing, yet its names are known to the common filter and sort.
   */
  readonly filter?: Filter | null
  readonly include: readonly Include[]
  /** What names of the common filter and sort mean in this type: other spellings, index fields. */
  readonly names?: ReadonlyMap<string, string>
}

/** Media files by themselves; `search` looks into name, alternative text and caption. */
export interface FilesQuery extends Pick<ContentQuery, 'filter' | 'search' | 'sort' | 'nulls'> {
  readonly page: OffsetPage
}

/** Whatever can be listed. */
export type AnyQuery = ContentQuery | ListQuery | FilesQuery

/** `live`: live copies only, at every level. `working`: the newest values, drafts included. */
export type CopyState = 'live' | 'working'

export type LocaleChoice =
  /** The default locale. */
  | { readonly kind: 'default' }
  /** Documents without a visible variant in `code` are shown in the first of `fallback` they have. */
  | { readonly kind: 'one'; readonly code: string; readonly fallback: readonly string[] }
  | { readonly kind: 'all' }

export type Scalar = string | number | boolean | null

export type CompareOperator =
  | 'eq'
  /** Also true for a missing value. */
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'notIn'
  | 'contains'
  | 'notContains'
  | 'startsWith'
  | 'endsWith'
  /** A pattern of the commerce dialect: `%` any text, `_` one character. */
  | 'like'
  /** Has this as a whole word, without regard to case; several words must all be there. */
  | 'word'
  /** Two values, inclusive. */
  | 'between'
  /** Of moments: within the day in UTC that begins at this one. */
  | 'day'

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  /**
   * A field of the current type: a scalar attribute, else a system member (`id`, `documentId`,
   * `createdAt`, `updatedAt`, `publishedAt`, `locale`, `externalId`, `path`). What users may also
   * name their attributes has an `@` when dialects mean the system member: `@parent`,
   * `@sortOrder`, `@isRoot`, `@ancestorsLive`, `@level`, `@createdBy`, `@revisionId`, `@status`, and
   * `@name` for the display field of the type. `fold`: without regard to case.
   * On a relation, media or component `eq` and `in` compare ids or documentIds. Values are as the caller wrote them; `resolve` converts them to the
   * attribute's type or refuses (content model §10.6). On tags `contains` is membership.
   */
  | {
      readonly kind: 'compare'
      readonly field: string
      readonly operator: CompareOperator
      readonly fold: boolean
      readonly values: readonly Operand<Scalar>[]
      /** Of `in` instead of `values`: as many as there are when the question is asked. */
      readonly list?: Slot<readonly string[]>
      /** Where the caller wrote it, for the error: `['filters', 'title', '$eq']`. */
      readonly at?: readonly (string | number)[]
    }
  /** The field, relation, media or component has no value. */
  | {
      readonly kind: 'missing'
      readonly field: string
      readonly at?: readonly (string | number)[]
    }
  /** Some related entry (or file, or component) fulfils the whole of the inner filter. */
  | {
      readonly kind: 'some'
      readonly field: string
      readonly of: Filter
      readonly at?: readonly (string | number)[]
    }
  /** Stands below or above a place of the tree; the place itself never does. Of entries only. */
  | {
      readonly kind: 'placed'
      readonly axis: TreeAxis
      readonly of: TreeSpot
    }

export type TreeAxis = 'children' | 'descendants' | 'ancestors'

/** A place in the tree: a document, or the virtual root of a collection. */
export type TreeSpot =
  | { readonly documentId: Operand<string> }
  | { readonly collection: ContentType }

export interface SortKey {
  /** Through relations, media and components: `['author', 'name']`. */
  readonly path: readonly string[]
  readonly order: 'asc' | 'desc'
  /**
   * Not by the values themselves but by which of these groups each is in, and a value in none counts as
   * missing; `present`: all values are equal. A position holds only as long as the groups stay.
   */
  readonly ranks?: Operand<readonly (readonly Exclude<Scalar, null>[])[]> | 'present'
  readonly at?: readonly (string | number)[]
}

export interface OffsetPage<Whole = Operand<number>> {
  readonly kind: 'offset'
  readonly start: Whole
  readonly limit: Whole
  /** False: no total is computed; `hasMore` is. */
  readonly count: boolean
}

export type PageChoice<Whole = Operand<number>, Value = Operand<Scalar>> =
  | OffsetPage<Whole>
  /** Only with the order by id; the exclusive bound is an id that need not exist. */
  | {
      readonly kind: 'keyset'
      readonly after: Whole | null
      readonly before: Whole | null
      readonly limit: Whole
    }
  /** `position` are the sort values of an entry, its id last; null starts at the end `direction` leaves. */
  | {
      readonly kind: 'cursor'
      readonly position: readonly Value[] | null
      /** The position at which the walk ends, itself not shown. */
      readonly until?: readonly Value[] | null
      readonly direction: 'next' | 'prev'
      readonly limit: Whole
      readonly count: boolean
    }

/** A page whose numbers are known. */
export type GivenPage = PageChoice<number, Scalar>

/**
 * What of a list lies between two positions, themselves not shown: of these the `first`, and of those the
 * `last`. Null: no such bound. Without a sort the first value of a position is the place among the links.
 */
export interface Between<Whole = Operand<number>, Value = Operand<Scalar>> {
  readonly after: readonly Value[] | null
  readonly before: readonly Value[] | null
  readonly first: Whole | null
  readonly last: Whole | null
}

/** One relation, media, component or zone attribute to load with the entries, and how. */
export interface Include {
  readonly field: string
  /** Under which name entries hold it, where one field is loaded in several ways; its own when absent. */
  readonly as?: string
  readonly filter: Filter | null
  readonly sort: readonly SortKey[]
  readonly start: Operand<number>
  /** Of entries and files at most 1,000, unless only their ids are asked for. */
  readonly limit: Operand<number>
  /** In place of `start` and `limit`. */
  readonly between?: Between
  /** False: how long the lists are is not computed. */
  readonly count?: boolean
  readonly include: readonly Include[]
  /** Of a zone in place of `include`: what is included in its components, by uid; in others nothing. */
  readonly on?: ReadonlyMap<string, readonly Include[]>
  /** Components that `on` does not name are left out. */
  readonly onlyThese?: boolean
  /**
   * `ids`: only the references, for dialects that show them without the entries. `localizations`
   * as the field is the list of the other variants of the document.
   */
  readonly depth: 'ids' | 'entries'
  /** Of this level and those below it; as the parents' when absent. */
  readonly state?: CopyState
  /** As in `ContentQuery`. */
  readonly nulls?: 'lowest' | 'last'
  /** Named by the caller: a type it may not read is refused (401); under `*` it is left out. */
  readonly named: boolean
  readonly at?: readonly (string | number)[]
}
