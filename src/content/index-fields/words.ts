import type { JsonValue } from '../json.ts'

/** How values of a field are compared and sorted. */
export const FIELD_TYPES = [
  ...(['StringRaw', 'StringAnalyzed', 'StringSortable', 'Number', 'Date'] as const),
]
export type FieldType = (typeof FIELD_TYPES)[number]

/** An entry as modules see it: one language of it, live or as it was last saved. */
export interface IndexedEntry {
  readonly id: string
  readonly contentType: string
  /** Of the display field. */
  readonly name: string | null
  /** Null when the type is not localised. */
  readonly culture: string | null
  readonly isPublished: boolean
  readonly createDate: string
  readonly updateDate: string
  /** By attribute: values, ids of what relations and media refer to, components as objects. */
  readonly properties: Readonly<Record<string, JsonValue>>
}

/** What a module exports (content delivery §9). */
export interface IndexModule {
  fields(): readonly {
    readonly fieldName: string
    readonly fieldType: FieldType
    readonly variesByCulture?: boolean
  }[]
  /** `culture` is null for fields that do not vary by it. */
  values(entry: IndexedEntry, culture: string | null): GivenValues | Promise<GivenValues>
}

type GivenValues = readonly {
  readonly fieldName: string
  readonly values: readonly unknown[]
}[]

/** A field of a module, and under which name the store keeps its values. */
export interface ModuleField {
  readonly name: string
  readonly type: FieldType
  readonly variesByCulture: boolean
  readonly key: string
}

/** One value as it is stored; which columns it has follows from the type of its field. */
export interface StoredValue {
  readonly text: string | null
  readonly fold: string | null
  readonly number: number | null
  readonly words: string | null
}
