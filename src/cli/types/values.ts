import type { AttributeDefinition } from './read.ts'

/** The TypeScript of a value as answers show it and as it may be sent; neither says anything of null. */
interface ValueTypes {
  readonly shown: string
  readonly taken: string
}

const TEXT: ValueTypes = { shown: 'string', taken: 'string' }
const NUMBER: ValueTypes = { shown: 'number', taken: 'number' }
const UNKNOWN: ValueTypes = { shown: 'unknown', taken: 'unknown' }

const BY_TYPE: Readonly<Record<string, ValueTypes>> = {
  ...{ string: TEXT, text: TEXT, email: TEXT, uid: TEXT, password: TEXT, date: TEXT, time: TEXT },
  ...{ integer: NUMBER, float: NUMBER, decimal: NUMBER },
  // More digits than a number holds.
  biginteger: { shown: 'string', taken: 'string | number' },
  boolean: { shown: 'boolean', taken: 'boolean' },
  datetime: { shown: 'string', taken: 'string | Date' },
  richtext: { shown: 'string', taken: 'string | { value: string; format?: string }' },
  link: {
    shown:
      '{ url: string | null; title: string | null; target: string | null; entry: string | null }',
    taken:
      '{ url?: string | null; title?: string | null; target?: string | null; entry?: string | null }',
  },
  tags: { shown: 'string[]', taken: 'string[]' },
}

/** What a later version of the server knows and this program does not is `unknown`. */
export function valueTypesOf(attribute: AttributeDefinition): ValueTypes {
  // Rich text as blocks is a tree of JSON.
  if (attribute.format === 'blocks') return { shown: 'unknown[]', taken: 'unknown[]' }
  const known = Object.hasOwn(BY_TYPE, attribute.type) ? BY_TYPE[attribute.type] : undefined
  const words = Array.isArray(attribute.enum)
    ? attribute.enum.map((each) => JSON.stringify(each))
    : []
  if (words.length === 0) return known ?? UNKNOWN
  const union = words.join(' | ')
  const type = attribute.type === 'tags' ? `(${union})[]` : union
  return { shown: type, taken: type }
}
