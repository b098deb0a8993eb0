import Type, { type TSchema } from 'typebox'
import { isObject } from '#kernel'
import type { Member, Refuse } from './members.ts'

/** The kinds of members a scraper's definition is made of. */

export function whole(min: number, max: number, byDefault: number): Member<number> {
  return {
    schema: Type.Integer({ minimum: min, maximum: max }),
    byDefault,
    read: (value, refuse) => readWhole(value, refuse, min, max),
  }
}

export function wholeOrNull(min: number, max: number): Member<number | null> {
  return {
    schema: Type.Integer({ minimum: min, maximum: max }),
    byDefault: null,
    read: (value, refuse) => readWhole(value, refuse, min, max),
  }
}

function readWhole(value: unknown, refuse: Refuse, min: number, max: number): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return refuse('type', 'must be an integer')
  }
  return value >= min && value <= max ? value : refuse('range', `must be ${min} to ${max}`)
}

export function flag(byDefault: boolean): Member<boolean> {
  return {
    schema: Type.Boolean(),
    byDefault,
    read: (value, refuse) =>
      typeof value === 'boolean' ? value : refuse('type', 'must be true or false'),
  }
}

export function oneOf<const Value extends string>(
  values: readonly Value[],
  byDefault: NoInfer<Value>,
): Member<Value> {
  return {
    schema: Type.Enum([...values]),
    byDefault,
    read: (value, refuse) =>
      values.find((each) => each === value) ??
      refuse('enum', `must be one of ${values.join(', ')}`),
  }
}

interface TextRule {
  readonly max: number
  /** Line breaks and other control characters are part of what can be said. */
  readonly isFree?: boolean
  /** What else must hold; completes the sentence that begins with the field. */
  check?(text: string): string | null
}

/** A text that may be absent. */
export function textOrNull(rule: TextRule): Member<string | null> {
  return {
    schema: Type.String({ minLength: 1, maxLength: rule.max }),
    byDefault: null,
    read: (value, refuse) => readText(value, refuse, rule),
  }
}

export function text(rule: TextRule, byDefault: string): Member<string> {
  return { ...textOrNull(rule), byDefault, read: (value, refuse) => readText(value, refuse, rule) }
}

export function readText(value: unknown, refuse: Refuse, { max, isFree, check }: TextRule) {
  if (typeof value !== 'string') return refuse('type', 'must be a string')
  if (value === '') return refuse('length', 'must not be empty')
  if (value.length > max) return refuse('length', `must have at most ${max} characters`)
  const wrong = (isFree ? null : checkLine(value)) ?? check?.(value) ?? null
  return wrong === null ? value : refuse('format', wrong)
}

/** Names go into log lines, paths and headers: none of them ends where a sender wants it to. */
function checkLine(value: string): string | null {
  return CONTROL.test(value) ? 'must not hold line breaks or other control characters' : null
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u

export function texts(
  rule: TextRule & { readonly maxItems: number },
  byDefault: readonly string[] = [],
): Member<readonly string[]> {
  return {
    schema: Type.Array(Type.String({ maxLength: rule.max }), { maxItems: rule.maxItems }),
    byDefault,
    read(value, refuse) {
      if (!Array.isArray(value)) return refuse('type', 'must be a list')
      if (value.length > rule.maxItems) {
        return refuse('length', `must have at most ${rule.maxItems} items`)
      }
      return value.flatMap((item: unknown, index) => {
        const inside: Refuse = (kind, message) => refuse(kind, message, [index])
        return readText(item, inside, rule) ?? []
      })
    },
  }
}

/** An object whose names are the user's; each of its values is read by `read`. */
export function named<Value>(options: {
  readonly schema: TSchema
  readonly max: number
  readonly name: (name: string) => string | null
  read(value: unknown, refuse: Refuse, name: string): Value | undefined
}): Member<ReadonlyMap<string, Value>> {
  const { schema, max, name: checkName, read } = options
  return {
    schema: Type.Record(Type.String(), schema),
    byDefault: new Map(),
    read(value, refuse) {
      if (!isObject(value)) return refuse('type', 'must be an object')
      const entries = Object.entries(value)
      if (entries.length > max) return refuse('length', `must have at most ${max} members`)
      const parsed = new Map<string, Value>()
      for (const [key, item] of entries) {
        const inside: Refuse = (kind, message, deeper = []) =>
          refuse(kind, message, [key, ...deeper])
        const wrong = checkName(key)
        if (wrong !== null) inside('format', wrong)
        const one = read(item, inside, key)
        if (one !== undefined) parsed.set(key, one)
      }
      return parsed
    },
  }
}
