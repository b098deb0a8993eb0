import type { Values } from '#content-query'
import { refused, type ShownError } from '../errors.ts'

/** One field of the root while its value is written. */
export interface Writing {
  /** Where in the answer the writer is. */
  readonly path: (string | number)[]
  readonly errors: ShownError[]
  /** Of the question whose answer is written. */
  readonly values: Values
}

/**
 * Writes a thing as JSON. Null: it has no value, or a value that must be there is missing somewhere inside
 * of it, which then is told already; whoever may be null is null instead, the others hand it on.
 */
export type Write<Source> = (source: Source, to: Writing) => string | null

export interface WrittenMember<Source> {
  readonly key: string
  readonly isSure: boolean
  readonly write: Write<Source>
}

/** Characters of an answer: what is asked for is limited, but not how long it is. */
const LONGEST = 32 * 1024 * 1024

/** Refuses what would grow too long while it is written. */
export function checkLength({ length }: { readonly length: number }): void {
  if (length <= LONGEST) return
  const message = `The answer is longer than ${LONGEST} characters; ask for fewer fields or smaller pages`
  throw refused('QUERY_TOO_COMPLEX', message)
}

/** An object with these members, in this order. */
export function writeObject<Source>(members: readonly WrittenMember<Source>[]): Write<Source> {
  const written = members.map(({ key, isSure, write }, at) => {
    return { isSure, write, head: `${at === 0 ? '{' : ','}${JSON.stringify(key)}:` }
  })
  if (written.length === 0) return () => '{}'
  return (source, to) => {
    let text = ''
    for (const { head, isSure, write } of written) {
      const value = write(source, to)
      if (value === null && isSure) return null
      text += head + (value ?? 'null')
    }
    checkLength(text)
    return `${text}}`
  }
}

/** A list; an item that has no value makes the list have none. */
export function writeList<Item>(
  items: readonly Item[],
  write: (item: Item, to: Writing, index: number) => string | null,
  to: Writing,
): string | null {
  let text = '['
  for (const [index, item] of items.entries()) {
    to.path.push(index)
    const value = write(item, to, index)
    to.path.pop()
    if (value === null) return null
    text += index === 0 ? value : `,${value}`
    checkLength(text)
  }
  return `${text}]`
}

/** What is written inside of the field `key`. */
export function within<Source>(key: string, write: Write<Source>): Write<Source> {
  return (source, to) => {
    to.path.push(key)
    const value = write(source, to)
    to.path.pop()
    return value
  }
}

/**
 * A value that must be there and is not: older entries may lack what is required now. Where the field
 * stands in the document is not told: a writer serves all documents that ask the same.
 */
export function missing(name: string, key: string, to: Writing): null {
  to.errors.push({
    message: `Cannot return null for non-nullable field ${name}.`,
    path: [...to.path, key],
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  })
  return null
}
