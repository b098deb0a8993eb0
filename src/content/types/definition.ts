import type { Attribute, Component, ComponentMembers, Locale, TypeMembers } from '../model.ts'

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
}

export interface StoredComponent extends Stored {
  readonly definition: ComponentDefinition
}

/** Everything a model is built from. */
export interface StoredModel {
  readonly types: readonly StoredType[]
  /** As in the model. */
  readonly formerTypes: readonly string[]
  readonly components: readonly StoredComponent[]
  readonly locales: readonly Locale[]
}

export function componentUid({ category, name }: Pick<Component, 'category' | 'name'>): string {
  return `${category}.${name}`
}
