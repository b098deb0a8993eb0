import type { Cells } from '#db'
import { isShown, readHidden, scalarsOf } from '../../document.ts'
import type { Entry, EntryStatus, Included, Part } from '../../entry.ts'
import type { JsonObject } from '../../json.ts'
import type { ContentType, FieldSet } from '../../model.ts'
import { type Schedule, toSchedule } from '../../schedule/schedule.ts'
import { columnIndexOf } from './entry-row.ts'
import { textAt, textOrNullAt, wholeAt, wholeOrNullAt } from './rows.ts'

const COPY_NO = columnIndexOf('copy_no')
const ID = columnIndexOf('id')
const DOCUMENT_ID = columnIndexOf('document_id')
const LOCALE = columnIndexOf('locale')
const CREATED_AT = columnIndexOf('created_at')
const UPDATED_AT = columnIndexOf('updated_at')
const PUBLISHED_AT = columnIndexOf('published_at')
const REVISION_ID = columnIndexOf('revision_id')
const HIDDEN = columnIndexOf('hidden')
const HAS_LIVE = columnIndexOf('has_live')
const CHANGED = columnIndexOf('changed')
const PARENT = columnIndexOf('parent')
const SORT_ORDER = columnIndexOf('sort_order')
const IS_ROOT = columnIndexOf('is_root')
const PATH = columnIndexOf('path')
const VERSION = columnIndexOf('version')
const EXTERNAL_ID = columnIndexOf('external_id')
const CREATED_BY = columnIndexOf('created_by')
const PUBLISH_AT = columnIndexOf('publish_at')
const UNPUBLISH_AT = columnIndexOf('unpublish_at')
const SCHEDULE_FAULT = columnIndexOf('schedule_fault')
const UPDATED_BY = columnIndexOf('updated_by')

interface Found {
  readonly type: ContentType
  readonly cells: Cells
  /** Where the entry's columns begin. */
  readonly at: number
  /** The document as the type is now. */
  readonly json: string
  /** Filled later, before anybody sees the entry. */
  readonly included: ReadonlyMap<string, Included>
}

/** An entry over its row: members are looked up as a dialect shows them, which is mostly a few. */
export class StoredEntry implements Entry {
  readonly type: ContentType
  readonly json: string
  readonly included: ReadonlyMap<string, Included>
  readonly #cells: Cells
  readonly #at: number
  #values: JsonObject | undefined

  constructor({ type, cells, at, json, included }: Found) {
    this.type = type
    this.json = json
    this.included = included
    this.#cells = cells
    this.#at = at
  }

  get copyNo(): number {
    return wholeAt(this.#cells, this.#at + COPY_NO)
  }

  get id(): number {
    return wholeAt(this.#cells, this.#at + ID)
  }

  get documentId(): string {
    return textAt(this.#cells, this.#at + DOCUMENT_ID)
  }

  get locale(): string | null {
    return this.type.localized ? textAt(this.#cells, this.#at + LOCALE) : null
  }

  get createdAtMs(): number {
    return wholeAt(this.#cells, this.#at + CREATED_AT)
  }

  get updatedAtMs(): number {
    return wholeAt(this.#cells, this.#at + UPDATED_AT)
  }

  get publishedAtMs(): number | null {
    return this.type.draftAndPublish ? wholeOrNullAt(this.#cells, this.#at + PUBLISHED_AT) : null
  }

  get status(): EntryStatus {
    if (wholeAt(this.#cells, this.#at + HAS_LIVE) === 0) return 'draft'
    return wholeAt(this.#cells, this.#at + CHANGED) === 1 ? 'changed' : 'published'
  }

  get parent(): string | null {
    return textOrNullAt(this.#cells, this.#at + PARENT)
  }

  get sortOrder(): number {
    return wholeAt(this.#cells, this.#at + SORT_ORDER)
  }

  get isRoot(): boolean {
    return wholeAt(this.#cells, this.#at + IS_ROOT) === 1
  }

  get path(): string | null {
    return textOrNullAt(this.#cells, this.#at + PATH)
  }

  get version(): number {
    return wholeAt(this.#cells, this.#at + VERSION)
  }

  get revisionId(): number {
    return wholeAt(this.#cells, this.#at + REVISION_ID)
  }

  get externalId(): string | null {
    return textOrNullAt(this.#cells, this.#at + EXTERNAL_ID)
  }

  get schedule(): Schedule | null {
    if (!this.type.draftAndPublish) return null
    return toSchedule({
      publish_at: wholeOrNullAt(this.#cells, this.#at + PUBLISH_AT),
      unpublish_at: wholeOrNullAt(this.#cells, this.#at + UNPUBLISH_AT),
      schedule_fault: textOrNullAt(this.#cells, this.#at + SCHEDULE_FAULT),
    })
  }

  get createdBy(): number | null {
    return wholeOrNullAt(this.#cells, this.#at + CREATED_BY)
  }

  get updatedBy(): number | null {
    return wholeOrNullAt(this.#cells, this.#at + UPDATED_BY)
  }

  get formats(): Readonly<Record<string, string>> {
    return formatsOf(this.type, textAt(this.#cells, this.#at + HIDDEN))
  }

  values(): JsonObject {
    this.#values ??= parseObject(this.json)
    return this.#values
  }
}

export function toPart(
  { component, id, json, included }: Pick<Part, 'component' | 'id' | 'json' | 'included'>,
  hidden: string,
): Part {
  let parsed: JsonObject | undefined
  const values = () => {
    parsed ??= parseObject(json)
    return parsed
  }
  return {
    ...{ component, id, json, values, included },
    get formats() {
      return formatsOf(component, hidden)
    },
  }
}

function parseObject(json: string): JsonObject {
  return JSON.parse(json)
}

function formatsOf(type: FieldSet, hidden: string): Readonly<Record<string, string>> {
  const { formats } = readHidden(hidden)
  const shown = scalarsOf(type).filter(isShown)
  // No prototype: an attribute may have any name.
  const named: Record<string, string> = Object.create(null)
  for (const { name, no } of shown) {
    const format = formats[no]
    if (format !== undefined) named[name] = format
  }
  return named
}
