import type { JsonObject } from './json.ts'
import type { Component, ContentType } from './model.ts'
import type { Schedule } from './schedule/schedule.ts'

/** One copy of one language variant, as dialects render it. */
export interface Entry {
  readonly type: ContentType
  /** Names the copy inside this answer; never shown. */
  readonly copyNo: number
  readonly id: number
  readonly documentId: string
  /** Null when the type is not localised. */
  readonly locale: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Null when not live, and for types without draft and publish. */
  readonly publishedAtMs: number | null
  readonly status: EntryStatus
  /** documentId of the parent. */
  readonly parent: string | null
  readonly sortOrder: number
  readonly isRoot: boolean
  readonly path: string | null
  readonly version: number
  readonly revisionId: number
  readonly externalId: string | null
  /** When it is published and unpublished by itself; null: not. Nothing for readers of live copies. */
  readonly schedule: Schedule | null
  /** The user's number; null when the system made it. */
  readonly createdBy: number | null
  /** Who wrote it last, likewise. */
  readonly updatedBy: number | null
  /**
   * The public scalar attributes in declared order, null where there is no value, as the text of a
   * JSON object: stored that way, so that a dialect which shows all of them splices it unparsed.
   * Values are as content model §3.1 shows them.
   */
  readonly json: string
  /** The same, parsed at the first call. */
  values(): JsonObject
  /** Formats of richtext values by attribute, where stored. */
  readonly formats: Readonly<Record<string, string>>
  /** What was asked for with `include`, by attribute name. */
  readonly included: ReadonlyMap<string, Included>
}

export type EntryStatus = 'draft' | 'published' | 'changed'

export type Included =
  | { readonly kind: 'entry'; readonly entry: Entry | null }
  /** `total` is the whole list's length, which may exceed what was loaded; 0 where it was not counted. */
  | ({ readonly kind: 'entries'; readonly entries: readonly Entry[] } & IncludedList)
  | { readonly kind: 'file'; readonly file: MediaFile | null }
  | ({ readonly kind: 'files'; readonly files: readonly MediaFile[] } & IncludedList)
  | { readonly kind: 'part'; readonly part: Part | null }
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  /** Components of several kinds: which each is, answers have to say. */
  | { readonly kind: 'zone'; readonly parts: readonly Part[] }
  /** With depth `ids`. */
  | { readonly kind: 'ids'; readonly ids: readonly Reference[]; readonly total: number }

interface IncludedList {
  readonly total: number
  /** Of a list that was asked for between positions. */
  readonly walked?: WalkedList
}

/** Where the items of a piece of a list stand, and whether there are others around them. */
export interface WalkedList {
  readonly positions: readonly (readonly (string | number | boolean | null)[])[]
  readonly hasMore: boolean
  readonly hasPrevious: boolean
}

interface Reference {
  readonly id: number
  readonly documentId: string
  /** Of files. */
  readonly mime?: string
}

/** A component inside an entry. */
export interface Part {
  readonly component: Component
  readonly id: number
  /** As `Entry.json`. */
  readonly json: string
  values(): JsonObject
  /** As of entries. */
  readonly formats: Readonly<Record<string, string>>
  readonly included: ReadonlyMap<string, Included>
}

export interface MediaFile {
  readonly id: number
  readonly uuid: string
  readonly folder: string
  readonly name: string
  readonly hash: string
  /** With its dot; '' when there is none. */
  readonly ext: string
  readonly mime: string
  readonly alternativeText: string | null
  readonly caption: string | null
  readonly width: number | null
  readonly height: number | null
  /** Smaller pictures by name; null as long as there are none. */
  readonly formats: Readonly<Record<string, PictureFormat>> | null
  readonly sizeBytes: number
  /** `/uploads/<hash><ext>` */
  readonly url: string
  readonly previewUrl: string | null
  readonly provider: string
  /** What of a picture stays visible however it is cut. */
  readonly focalPoint: FocalPoint | null
  /** Null for what is no picture. */
  readonly crops: readonly Crop[] | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** A smaller picture of a picture, as the CMS shows it. */
export interface PictureFormat {
  readonly name: string
  readonly hash: string
  readonly ext: string
  readonly mime: string
  readonly path: null
  readonly width: number
  readonly height: number
  /** In kilobytes. */
  readonly size: number
  readonly sizeInBytes: number
  readonly url: string
}

/** Shares of the width and the height, 0 to 1. */
export interface FocalPoint {
  readonly left: number
  readonly top: number
}

/** A cut of a picture for one use; without coordinates it is made around the focal point. */
export interface Crop {
  readonly alias: string
  readonly width: number
  readonly height: number
  /** What is cut off at each side, as shares of the whole: left, top, right, bottom. */
  readonly coordinates: {
    readonly x1: number
    readonly y1: number
    readonly x2: number
    readonly y2: number
  } | null
}

/** Media files by themselves. */
export interface FilePage {
  readonly files: readonly MediaFile[]
  /** Null when no count was asked for. */
  readonly total: number | null
}

export interface EntryPage {
  readonly entries: readonly Entry[]
  /** Null when no count was asked for. */
  readonly total: number | null
  readonly hasMore: boolean
  /** There are entries before the first of this page, in the order of the list. */
  readonly hasPrevious: boolean
  /** The position of an entry of this page under the query's sort; of pages that are walked by cursors. */
  positionOf(entry: Entry): readonly (string | number | boolean | null)[]
}
