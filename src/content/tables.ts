import type { Generated } from 'kysely'
import type { LeaseColumns } from '#jobs'
import type { AccessLevel } from '#kernel'

/** Flags are 0 or 1, times epoch milliseconds; a locale of '' means that the type is not localised. */
export interface ContentTables {
  content_types: {
    no: Generated<number>
    uuid: string
    singular_name: string
    /** JSON of the definition with the numbers of its attributes. */
    definition: string
    shape: number
    created_at: number
    updated_at: number
    /** JSON of the change that is under way (`types/changing.ts`). */
    changing: string | null
  }
  /** What each copy is found by; `no` is the number of the copy. */
  content_search: {
    no: number
    type_no: number
    id: number
    live: number
    work: number
    locale: string
    /** Of the display field, and of all that is searched, as `spacedWords` makes them of folded text. */
    title: string
    text: string
  }
  /** How far the search index is with each type. */
  content_search_types: {
    type_no: number
    /** JSON of the columns it holds; '' before it follows the type. */
    source: string
    indexed_to: number
    ready: number
  }
  /** Copies that were written since the index took them in; `table_no` is the number of their type. */
  content_search_waiting: {
    no: number
    table_no: number
  }
  /** Which copies index modules have been asked about, and as what they were (`index-fields`). */
  content_index_copies: {
    registration: string
    copy_no: number
    type_no: number
    shape: number
    revision_id: number
    updated_at: number
  }
  /** What they said; `field` is the registration and the name. */
  content_index_values: {
    field: string
    copy_no: number
    position: number
    text: string | null
    fold: string | null
    number: number | null
    words: string | null
  }
  /** Names under which events tell of entries that are gone. */
  content_former_types: {
    singular_name: string
    removed_at: number
    /** The lowest level that could read them: `none` is everybody. */
    read_level: AccessLevel | 'none'
  }
  content_components: {
    no: Generated<number>
    uid: string
    definition: string
    shape: number
    created_at: number
    updated_at: number
  }
  content_locales: {
    id: Generated<number>
    code: string
    name: string
    is_default: number
    fallback: string | null
    created_at: number
    updated_at: number
  }
  /**
   * Work on values tables that a change of a type leaves to the worker: indexes to build and to
   * drop, and what has to be tidied up (`types/removed-values.ts`).
   */
  content_indexes: {
    name: string
    table_name: string
    /** JSON of what to build. */
    definition: string
    /** `wanted`, `ready` or `unwanted`. */
    state: string
  }
  /** Every language variant of every document. */
  content_entries: {
    no: number
    type_no: number
    id: number
    document_id: string
    locale: string
    created_at: number
    updated_at: number
    published_at: number | null
    has_live: number
    /** There is a live copy and a newer working copy. */
    changed: number
    parent: string | null
    sort_order: number
    is_root: number
    path: string | null
    /** 0 when an ancestor is not published: content delivery does not show the entry. */
    ancestors_live: number
    version: number
    created_by: number | null
    updated_by: number | null
    external_id: string | null
    /** JSON. */
    source: string | null
    /** When and by whom the working copy's values were written, where that was not the last write. */
    revised_at: number | null
    revised_by: number | null
    /** The working copy's values are a scraper's: they are not kept when others take their place. */
    scraped: Generated<number>
    /** When the worker publishes and unpublishes the entry. */
    publish_at: number | null
    unpublish_at: number | null
    /** JSON of what was not done at its time (`schedule/fault.ts`). */
    schedule_fault: string | null
    /** JSON of what happened to the working copy's values (`entries/happened.ts`); null where nothing is noted. */
    events: string | null
  }
  /** What copies said before others took their place; the copies themselves hold the newest values. */
  content_revisions: {
    revision_id: number
    entry_no: number
    saved_at: number
    saved_by: number | null
    /** JSON (`revisions/kept-body.ts`). */
    body: string
    /** As of entries. */
    events: string | null
    /** 1 until the worker has looked whether the entry has too many. */
    fresh: number
  }
  /** Paths that entries once had. */
  content_former_paths: {
    locale: string
    path: string
    entry_no: number
  }
  /** Relations and media: which documents and files a copy refers to. */
  content_links: {
    /** Of the owning relation or media attribute. */
    attribute_no: number
    owner_copy: number
    /** The component the attribute belongs to, by its stable id; 0 for the entry itself. */
    owner_part: number
    position: number
    /** documentId, or the uuid of a file. */
    target: string
    /** Order as seen from the other end. */
    target_position: number
  }
  content_tags: {
    attribute_no: number
    owner_copy: number
    owner_part: number
    position: number
    value: string
    fold: string
  }
  content_files: {
    id: Generated<number>
    uuid: string
    folder: string
    name: string
    name_fold: string
    hash: string
    ext: string
    mime: string
    alternative_text: string | null
    alternative_text_fold: string | null
    caption: string | null
    caption_fold: string | null
    width: number | null
    height: number | null
    formats: string | null
    size_bytes: number
    preview_url: string | null
    provider: string
    /** JSON `{ "left": 0.5, "top": 0.5 }` */
    focal_point: string | null
    /** JSON of a list of `Crop`. */
    crops: string | null
    created_by: number | null
    created_at: number
    updated_at: number
  }
  /** Bytes by the name they are served under, where the database holds them (`media/bytes`). */
  content_file_bytes: {
    name: string
    hash: string
    size_bytes: number
    whole: number
    created_at: number
  }
  content_file_chunks: {
    name: string
    position: number
    bytes: Uint8Array
  }
  /** Pictures whose formats are still to be made. */
  content_pictures: LeaseColumns & {
    file_id: number
    hash: string
    due_at: number
    attempts: number
  }
  /** Folders that were made by name, or moved. */
  content_folders: {
    path: string
    /** Of one that was moved; null: the one that the path gives. */
    id: string | null
    created_at: number
    updated_at: number
  }
  /** Paths that folders were moved away from: what is there next is another folder. */
  content_left_folders: {
    path: string
    times: number
  }
  /**
   * One table per content type. A row is a copy: published and unchanged entries have one that is
   * both live and working copy, changed ones have two, drafts one that is not live. Beside these
   * columns it has `a<no>` for each scalar attribute and, where kinds say so, `f<no>` with the
   * folded text. 64-bit integers are selected as text (`document.ts`).
   */
  [values: `content_v${number}`]: {
    copy_no: number
    entry_no: number
    id: number
    document_id: string
    locale: string
    live: number
    work: number
    revision_id: number
    shape: number
    created_at: number
    updated_at: number
    published_at: number | null
    /** JSON text of the public scalars in declared order: what answers splice. */
    doc: string
    /** JSON `{ "formats": { "<attribute no>": "markdown" } }` of richtext values. */
    hidden: string
  }
  /** One table per component: what filters compare; answers are rendered from `doc`. */
  [parts: `content_c${number}`]: {
    part_no: Generated<number>
    owner_copy: number
    /** The component attribute that holds it. */
    attribute_no: number
    /** The stable id of the component it lies in; 0 when it lies in the entry itself. */
    parent_part: number
    position: number
    /** The id that answers show; the same in the live and the working copy. */
    part_id: number
    shape: number
    doc: string
    hidden: string
  }
}
