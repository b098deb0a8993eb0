import { isObject, isUuid } from '#kernel'
import type { JsonValue } from '../json.ts'
import type { PlainAttribute } from '../model.ts'
import type { FieldKind, FieldResult } from './kind.ts'
import { NONE } from './support/options.ts'
import { accepted, notComparable, refused } from './support/results.ts'
import { parseBoundedText } from './support/text.ts'

const LONGEST_URL = 2048
const LONGEST_TITLE = 255
const LONGEST_TARGET = 50
const MEMBERS = ['url', 'title', 'target', 'entry']
/** Whoever renders the link as HTML must not run a script by it. */
const RUNS_SCRIPT = /^[\s\p{Cc}]*(javascript|vbscript)\s*:/iu

/** A link to any URL or to a document of the store; the document wins when both are given. */
export const link: FieldKind<PlainAttribute> = {
  type: 'link',
  wireKind: 'link',
  options: NONE,
  // Folded as a whole, so that its members are found without regard to case: JSON stays JSON.
  column: { kind: 'text', compared: false, folded: true, indexed: false },
  searched: false,
  openapi: () => ({ type: 'object' }),
  parse(value) {
    if (!isObject(value)) return refused('type', 'must be an object with url or entry')
    const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name))
    if (unknown !== undefined) return refused('link', `has no member ${unknown.slice(0, 50)}`)
    return parseMembers(value)
  },
  checkLive: () => undefined,
  toColumn: (value) => JSON.stringify(value),
  fromColumn: (stored): JsonValue => JSON.parse(String(stored)),
  parseFilter: notComparable,
}

function parseMembers(value: Record<string, unknown>): FieldResult<JsonValue> {
  const url = parseMember(value.url, LONGEST_URL)
  const title = parseMember(value.title, LONGEST_TITLE)
  const target = parseMember(value.target, LONGEST_TARGET)
  const entry = parseMember(value.entry, LONGEST_URL)
  if (!url.ok || (url.value !== null && RUNS_SCRIPT.test(url.value))) {
    return refused('link', 'has a url that cannot be used')
  }
  if (!title.ok)
    return refused('link', `has a title that is no text of ${LONGEST_TITLE} characters`)
  if (!target.ok) return refused('link', 'has a target that cannot be used')
  if (!entry.ok || (entry.value !== null && !isUuid(entry.value))) {
    return refused('link', 'has an entry that is not a documentId')
  }
  if (!url.value && !entry.value) return refused('link', 'must have a url or an entry')
  return accepted({
    url: url.value,
    title: title.value,
    target: target.value,
    entry: entry.value?.toLowerCase() ?? null,
  })
}

function parseMember(value: unknown, longest: number): FieldResult<string | null> {
  if (value === undefined || value === null) return accepted(null)
  return parseBoundedText(value, {}, longest)
}
