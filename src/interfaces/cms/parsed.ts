import type { ContentModel } from '#content'
import { createRecent } from '#kernel'
import type { QueryRules } from './query.ts'

const QUERIES_KEPT = 200
/** Longer ones are seldom asked twice. */
const LONGEST_KEPT = 2_000

/**
 * Parses queries, and those asked again only once: a list that is read anew after every change has the
 * same text each time. What was parsed is never changed and lives as long as the model it was checked by.
 */
export function createParsed<Parsed extends object>(
  parse: (text: string, rules: QueryRules) => Parsed,
): (text: string, rules: QueryRules) => Parsed {
  const recent = createRecent<string, Parsed>(QUERIES_KEPT)
  let of: ContentModel | undefined
  return (text, rules) => {
    const { model, type, maxDepth } = rules
    if (of !== model) recent.clear()
    of = model
    if (text.length > LONGEST_KEPT) return parse(text, rules)
    const key = `${type.no} ${maxDepth} ${text}`
    return recent.find(key) ?? recent.keep(key, parse(text, rules))
  }
}
