import type { Filters } from './filters.ts'

/** One content type as `entrepot types` writes it down. */
interface Shape {
  readonly kind: 'collection' | 'single'
  /** What answers show of an entry. */
  readonly record: object
  /** What may be sent; which of it must be is `required`. */
  readonly input: object
  readonly required: PropertyKey
  /** What `include` can name: where it leads to, `media` for files. */
  readonly relations: object
}

/** Every content type of a server by the name it has in URLs. */
export type Content<C> = { readonly [T in keyof C]: Shape }

/** For those who have not written their types down: every name, every member. */
export interface AnyContent {
  readonly [type: string]: {
    readonly kind: 'collection' | 'single'
    // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it
    readonly record: any
    // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it
    readonly input: any
    readonly required: never
    // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it
    readonly relations: any
  }
}

export interface MediaFile {
  readonly id: number
  readonly url: string
  readonly alternative_text: string | null
  readonly caption: string | null
  readonly mime: string
  readonly width: number | null
  readonly height: number | null
  /** In kilobytes. */
  readonly size: number
}

export type NamesOf<C extends Content<C>, K extends Shape['kind']> = {
  [T in keyof C & string]: C[T]['kind'] extends K ? T : K extends C[T]['kind'] ? T : never
}[keyof C & string]

export type RecordOf<C extends Content<C>, T extends keyof C> = C[T]['record']
/** For changes: any of it. */
export type InputOf<C extends Content<C>, T extends keyof C> = Partial<C[T]['input']>
/** For new entries and replacements: with all that is required. */
export type NewOf<C extends Content<C>, T extends keyof C> = InputOf<C, T> &
  Required<Pick<C[T]['input'], C[T]['required'] & keyof C[T]['input']>>

type RelationsOf<C extends Content<C>, T extends keyof C> = C[T]['relations']
type Leads = { readonly to: PropertyKey; readonly many: boolean }

/** `author`, `comments.author`: relations and media, up to three steps. */
export type IncludePath<
  C extends Content<C>,
  T extends keyof C,
  Steps extends 0[] = [],
> = Steps['length'] extends 3
  ? never
  : {
      [R in keyof RelationsOf<C, T> & string]:
        | R
        | (RelationsOf<C, T>[R] extends { to: infer To extends keyof C }
            ? `${R}.${IncludePath<C, To, [...Steps, 0]>}`
            : never)
    }[keyof RelationsOf<C, T> & string]

type First<P> = P extends `${infer Name}.${string}` ? Name : P
type After<P, Name extends string> = P extends `${Name}.${infer Rest}` ? Rest : never

/** A record with those relations in it that `include` named. */
export type Included<C extends Content<C>, T extends keyof C, P, Fields = never> = ([
  Fields,
] extends [never]
  ? RecordOf<C, T>
  : Pick<RecordOf<C, T>, (Fields | 'id') & keyof RecordOf<C, T>>) &
  ([P] extends [never]
    ? unknown
    : {
        readonly [R in First<P> & keyof RelationsOf<C, T> & string]: Related<
          C,
          RelationsOf<C, T>[R],
          After<P, R>
        >
      })

type Related<C extends Content<C>, Link, Rest> = Link extends Leads
  ? Link['many'] extends true
    ? readonly Target<C, Link['to'], Rest>[]
    : Target<C, Link['to'], Rest> | null
  : unknown

type Target<C extends Content<C>, To, Rest> = To extends keyof C
  ? Included<C, To, Rest>
  : To extends 'media'
    ? MediaFile
    : unknown

/** What one answer shows. */
export interface ReadOptions<P = never, F = never> {
  readonly include?: readonly P[]
  readonly fields?: readonly F[]
  /** All but `published` need a key of level write. */
  readonly status?: 'published' | 'draft' | 'changed' | 'all'
  readonly locale?: string
  readonly fallback_locale?: string
  readonly signal?: AbortSignal
}

export interface ListOptions<C extends Content<C>, T extends keyof C, P = never, F = never>
  extends ReadOptions<P, F> {
  readonly filters?: Filters<C, T>
  /** Text to search for. */
  readonly q?: string
  readonly sort?: (keyof RecordOf<C, T> & string) | `${keyof RelationsOf<C, T> & string}.${string}`
  readonly order?: 'asc' | 'desc'
  /** At most 100. */
  readonly per_page?: number
}

export interface PageOptions<C extends Content<C>, T extends keyof C, P = never, F = never>
  extends ListOptions<C, T, P, F> {
  /** From 1. */
  readonly page?: number
  /** False leaves out the total, which saves the server the counting. */
  readonly count?: boolean
}

export interface Page<Item> {
  readonly data: readonly Item[]
  readonly meta: {
    readonly page: number
    readonly per_page: number
    readonly total?: number
    readonly total_pages?: number
    readonly has_more?: boolean
  }
}
