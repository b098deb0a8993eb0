import type { MediaFile } from '../entry.ts'
import type { Filter, SortKey } from '../query/ast.ts'
import type { Values } from '../query/slot.ts'

/** A folder exists while a file that the viewer sees lies in it or below it. */
export interface MediaFolder {
  /** Stays the same when the folder is moved. */
  readonly id: string
  /** `/photos/2026`, as files spell it. */
  readonly path: string
  readonly name: string
  /** Of the first file and of the last change below it. */
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export type MediaItem =
  | { readonly kind: 'file'; readonly file: MediaFile }
  | { readonly kind: 'folder'; readonly folder: MediaFolder }

/** What is asked of a list of files, or of files and folders. */
export interface MediaQuery {
  /** Of files; null: all. No file at all: `{ kind: 'or', of: [] }`. */
  readonly filter: Filter | null
  /** `createdAt`, `updatedAt` and `name`; ties by createdAt, then id. */
  readonly sort: readonly SortKey[]
  /** The same filter of folders, by the values of the question. */
  admits(folder: MediaFolder, values: Values): boolean
}

/** Where it is asked and which piece of it is shown. */
export interface MediaPage {
  /** Null: wherever they are. `path` is '/' for the top; `deep` with everything below. */
  readonly within: { readonly path: string; readonly deep: boolean } | null
  /** Folders inside `within` are listed too. */
  readonly hasFolders: boolean
  readonly start: number
  readonly limit: number
}

export interface MediaList {
  readonly items: readonly MediaItem[]
  readonly total: number
}
