import Type, { type TSchema } from 'typebox'

const YES = ['true', '1', 'yes', 'on']
const NO = ['false', '0', 'no', 'off']
const NUMBER = /^[+-]?\d+(\.\d+)?$/

/**
 * Environment text as the kind of value the setting has. What does not look like that kind is
 * returned as it is, so that the one check that follows refuses it and can name it.
 */
export function coerce(schema: TSchema, text: string): unknown {
  if (Type.IsArray(schema)) {
    return toItems(text).map((item) =>
      typeof item === 'string' ? coerce(schema.items, item) : item,
    )
  }
  const trimmed = text.trim()
  if (Type.IsInteger(schema) || Type.IsNumber(schema)) {
    return NUMBER.test(trimmed) ? Number(trimmed) : text
  }
  if (Type.IsBoolean(schema)) return toBoolean(trimmed.toLowerCase()) ?? text
  return Type.IsObject(schema) ? (parseJson(text) ?? text) : text
}

/** `a, b` or a JSON list; only JSON can say the empty list, because an empty variable is unset. */
function toItems(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) {
    const list = parseJson(text)
    if (Array.isArray(list)) return list
  }
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toBoolean(text: string): boolean | undefined {
  if (YES.includes(text)) return true
  return NO.includes(text) ? false : undefined
}
