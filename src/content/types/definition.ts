import { isDeepStrictEqual } from 'node:util'
import type { Issue } from '#kernel'
import type {
  Attribute,
  Component,
  ComponentAttribute,
  ComponentMembers,
  FormerType,
  Locale,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
  TypeMembers,
  ZoneAttribute,
} from '../model.ts'
import type { Changing } from './changing.ts'

/** What is stored of a type beside its numbers and times: JSON in `content_types.definition`. */
export interface TypeDefinition extends TypeMembers {
  readonly attributes: readonly Attribute[]
}

export interface ComponentDefinition extends ComponentMembers {
  readonly attributes: readonly Attribute[]
}

interface Stored {
  readonly no: number
  readonly shape: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export interface StoredType extends Stored {
  readonly uuid: string
  readonly definition: TypeDefinition
  readonly changing: Changing | null
}

export interface StoredComponent extends Stored {
  readonly definition: ComponentDefinition
}

/** Everything a model is built from. */
export interface StoredModel {
  readonly types: readonly StoredType[]
  /** As in the model. */
  readonly formerTypes: readonly FormerType[]
  readonly components: readonly StoredComponent[]
  readonly locales: readonly Locale[]
  /** Numbers of the types that are wholly in the search index. */
  readonly searched: ReadonlySet<number>
  /** Numbers of the types whose entries are still to lose their locales. */
  readonly relocating: ReadonlySet<number>
}

/** Whether they are stored alike: in JSON a member that is undefined does not exist. */
export function isSame(one: object, other: object): boolean {
  if (one === other) return true
  const [text, otherText] = [JSON.stringify(one), JSON.stringify(other)]
  return text === otherText || isDeepStrictEqual(JSON.parse(text), JSON.parse(otherText))
}

export function componentUid({ category, name }: Pick<Component, 'category' | 'name'>): string {
  return `${category}.${name}`
}

/** A type as a caller wants it, defaults filled in; nothing of it is looked up in the store yet. */
export interface TypeSpec extends TypeMembers {
  readonly attributes: readonly AttributeSpec[]
}

export interface ComponentSpec extends ComponentMembers {
  readonly attributes: readonly AttributeSpec[]
}

type Unnumbered<A extends Attribute> = A extends unknown ? Omit<A, 'no' | 'name'> : never

/** The other end of a relation as the caller named it. */
interface RelationEnds {
  readonly inversedBy?: string
  readonly mappedBy?: string
  readonly targetAttribute?: string
}

export type RelationOptions = Omit<
  RelationAttribute,
  'no' | 'name' | 'side' | 'linkNo' | 'inverse'
> &
  RelationEnds

export type AttributeOptions =
  | Unnumbered<ScalarAttribute>
  | Unnumbered<MediaAttribute>
  | Unnumbered<ComponentAttribute>
  | Unnumbered<ZoneAttribute>
  | RelationOptions

export interface AttributeSpec {
  readonly name: string
  /** The attribute whose values it takes over. */
  readonly renamedFrom: string | null
  readonly options: AttributeOptions
  /** Where the caller wrote it. */
  readonly at: Issue['path']
}
