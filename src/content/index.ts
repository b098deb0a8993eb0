export type { Entries, EntryInput, EntryTarget, UpdateOptions, Written } from './entries/ports.ts'
export type { Entry, EntryPage, EntryStatus, Included, MediaFile, Part } from './entry.ts'
export type { JsonObject, JsonValue } from './json.ts'
export {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  type FieldSet,
  isScalar,
  isToMany,
  type Locale,
  type RelationAttribute,
  type ScalarAttribute,
} from './model.ts'
export type {
  ContentQuery,
  CopyState,
  Filter,
  Include,
  LocaleChoice,
  PageChoice,
  SortKey,
} from './query/ast.ts'
