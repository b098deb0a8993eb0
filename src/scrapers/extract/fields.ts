import { RE2JS } from 're2js'
import type { FieldRule } from '../definition/field-rule.ts'
import { collapse, type Element } from './dom.ts'
import { CONVERSIONS, type Json } from './values.ts'

interface ReadFields {
  readonly data: Record<string, Json>
  /** Fields whose text is no value of their type. */
  readonly unconverted: readonly string[]
  /** A required field that is empty: the item is dropped. */
  readonly missing: string | null
}

/** Reads an element by rules (scrapers contract §5.3). Patterns are compiled once for a run. */
export function createFieldReader(rules: ReadonlyMap<string, FieldRule>) {
  const fields = [...rules].map(([name, rule]) => ({
    name,
    rule,
    pattern: rule.regex === null ? null : RE2JS.compile(rule.regex),
  }))
  return (scope: Element, base: string): ReadFields => {
    const unconverted: string[] = []
    let missing: string | null = null
    const data = new Map<string, Json>()
    for (const { name, rule, pattern } of fields) {
      const { value, failed } = readField(scope, base, rule, pattern)
      if (failed) unconverted.push(name)
      data.set(name, value)
      if (rule.required && isEmpty(value)) missing ??= name
    }
    return { data: Object.fromEntries(data), unconverted, missing }
  }
}

function readField(scope: Element, base: string, rule: FieldRule, pattern: RE2JS | null) {
  const elements = rule.selector === null ? [scope] : [...scope.querySelectorAll(rule.selector)]
  const chosen = rule.many ? elements : elements.slice(0, 1)
  const texts = chosen.flatMap((element) => {
    const text = capture(textFrom(element, rule.attr), pattern)
    return text === null ? [] : [text]
  })
  const converted = texts.map((text) => CONVERSIONS[rule.type](text, base))
  const failed = converted.some((value) => value === null)
  const byDefault = toJson(rule.default)
  if (!rule.many) return { value: converted[0] ?? byDefault, failed }
  const values = converted.filter((value) => value !== null)
  return { value: values.length > 0 || byDefault === null ? values : byDefault, failed }
}

function textFrom(element: Element, attr: string | null): string | null {
  switch (attr) {
    case null:
    case 'text':
      return collapse(element.textContent ?? '') || null
    case 'html':
      return element.innerHTML.trim() || null
    case 'outer_html':
      return element.outerHTML
    default:
      return element.getAttribute(attr)
  }
}

/** The first group, or all that matched where the pattern has none. */
function capture(text: string | null, pattern: RE2JS | null): string | null {
  if (text === null || pattern === null) return text
  const matcher = pattern.matcher(text)
  if (!matcher.find()) return null
  return matcher.group(pattern.groupCount() > 0 ? 1 : 0) ?? null
}

function isEmpty(value: Json): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** A default came in as JSON. */
function toJson(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}
