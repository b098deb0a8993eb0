import type { Issue } from '#kernel'
import type {
  Attribute,
  ComponentAttribute,
  ComponentMembers,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
  TypeMembers,
} from '../model.ts'

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
  | RelationOptions

export interface AttributeSpec {
  readonly name: string
  /** The attribute whose values it takes over. */
  readonly renamedFrom: string | null
  readonly options: AttributeOptions
  /** Where the caller wrote it. */
  readonly at: Issue['path']
}
