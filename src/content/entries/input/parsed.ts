import type { Issue } from '#kernel'
import type { JsonValue } from '../../json.ts'
import type { Attribute, Component } from '../../model.ts'

/** An id as callers write it: of an entry or file, or a documentId or uuid in lower case. */
export type Ref = number | string

export type Place =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'before' | 'after'; readonly ref: Ref }

export interface Connected {
  readonly ref: Ref
  readonly place: Place | null
}

/** What an input says about a relation (content model §4). */
export type RelationChange =
  | { readonly kind: 'set'; readonly refs: readonly Ref[] }
  | {
      readonly kind: 'change'
      readonly connect: readonly Connected[]
      readonly disconnect: readonly Ref[]
      readonly strict: boolean
    }

export interface ParsedScalar {
  /** Null clears. */
  readonly value: JsonValue
  readonly format?: string
}

/** Of a JSON attribute: put into what is stored, null removes one. */
export type JsonMembers = Readonly<Record<string, JsonValue>>

export interface ParsedPart {
  /** Of an existing component of the entry; null makes a new one. */
  readonly id: number | null
  readonly component: Component
  readonly body: ParsedBody
}

/** An input that is well formed; by the number of the attribute, absent ones are not in it. */
export interface ParsedBody {
  readonly scalars: ReadonlyMap<number, ParsedScalar>
  readonly members: ReadonlyMap<number, JsonMembers>
  readonly relations: ReadonlyMap<number, RelationChange>
  readonly media: ReadonlyMap<number, readonly Ref[]>
  /** Null clears, which of a list is not the same as an empty one: that fulfils `required`. */
  readonly parts: ReadonlyMap<number, readonly ParsedPart[] | null>
}

/** Whether the input says anything about the attribute. */
export function isNamed(
  { scalars, members, relations, media, parts }: ParsedBody,
  { no }: Pick<Attribute, 'no'>,
): boolean {
  return scalars.has(no) || members.has(no) || relations.has(no) || media.has(no) || parts.has(no)
}

export type Path = readonly (string | number)[]

/** Gathers all problems of one input. */
export interface Problems {
  add(path: Path, rule: string, message: string): void
  readonly issues: readonly Issue[]
}

/** `known` are some that were found before. */
export function createProblems(known: readonly Issue[] = []): Problems {
  const issues: Issue[] = [...known]
  return {
    issues,
    add(path, rule, message) {
      issues.push({ path, rule, message: `${path.join('.')} ${message}` })
    },
  }
}
