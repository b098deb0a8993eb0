import type { Attribute, Component, ContentType, Locale } from '../model.ts'

/** What is stored of a type beside its numbers and times: JSON in `content_types.definition`. */
export interface TypeDefinition {
  readonly kind: ContentType['kind']
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly description: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly publicRead: boolean
  /** Null: chosen from the attributes there are. */
  readonly displayField: string | null
  readonly entityType: string
  readonly bundle: string
  readonly attributes: readonly Attribute[]
}

export interface ComponentDefinition {
  readonly category: string
  readonly name: string
  readonly displayName: string
  readonly description: string
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
  readonly components: readonly StoredComponent[]
  readonly locales: readonly Locale[]
}

export function componentUid({ category, name }: Pick<Component, 'category' | 'name'>): string {
  return `${category}.${name}`
}
