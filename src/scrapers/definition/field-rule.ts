import Type from 'typebox'
import { isObject } from '#kernel'
import { flag, oneOf, readText, textOrNull } from './kinds.ts'
import {
  createProblems,
  type Member,
  type Members,
  type Parsed,
  type Refuse,
  readMembers,
  schemaOf,
  writeMembers,
} from './members.ts'
import { checkSelector } from './selectors.ts'
import { checkPattern } from './texts.ts'

const SELECTOR = { max: 1_000, isFree: true, check: checkSelector }
const MAX_SHORT = 1_100

const anything: Member<unknown> = {
  schema: Type.Unknown(),
  byDefault: null,
  read: (value) => value,
}

const RULE = {
  selector: textOrNull(SELECTOR),
  attr: textOrNull({ max: 100 }),
  many: flag(false),
  type: oneOf(['string', 'number', 'integer', 'boolean', 'date', 'url'], 'string'),
  regex: textOrNull({ max: 1_000, isFree: true, check: checkPattern }),
  default: anything,
  required: flag(false),
} satisfies Members

/** How one field of an item is read from a page (scrapers contract §5.3). */
export type FieldRule = Parsed<typeof RULE>

export const FIELD_RULE = Type.Unsafe<unknown>({ anyOf: [{ type: 'string' }, schemaOf(RULE)] })

const RULE_DEFAULTS = readMembers({
  ...{ members: RULE, body: {}, problems: createProblems(), path: [] },
})

/** `.price`, `a.more@href`, or the members one by one. */
export function readFieldRule(value: unknown, refuse: Refuse): FieldRule | undefined {
  if (typeof value === 'string') return readShort(value, refuse)
  if (!isObject(value)) return refuse('type', 'must be a selector or an object')
  const problems = createProblems()
  const rule = readMembers({ members: RULE, body: value, problems, path: [] })
  for (const { path, rule: kind, message } of problems.issues) {
    refuse(kind, message.slice(path.join('.').length + 1), path)
  }
  return rule
}

function readShort(value: string, refuse: Refuse): FieldRule | undefined {
  const at = value.lastIndexOf('@')
  const selector = at < 0 ? value : value.slice(0, at)
  const attr = at < 0 ? null : value.slice(at + 1)
  if (attr === '') return refuse('format', 'has no attribute after @')
  // `@href` alone is the attribute of the item itself.
  if (selector === '' && attr !== null) return { ...RULE_DEFAULTS, attr }
  if (readText(value, refuse, { max: MAX_SHORT, isFree: true }) === undefined) return undefined
  const wrong = checkSelector(selector)
  return wrong === null ? { ...RULE_DEFAULTS, selector, attr } : refuse('format', wrong)
}

export function writeFieldRule(rule: FieldRule): Record<string, unknown> {
  return writeMembers(RULE, rule)
}
