import type { CopyState } from '#content-query'
import { type Raw, toText } from './brackets.ts'
import { badQuery } from './refusals.ts'

const PUBLICATION_STATES: Readonly<Record<string, CopyState>> = { live: 'live', preview: 'working' }
const STATUSES: Readonly<Record<string, CopyState>> = { published: 'live', draft: 'working' }

/** `publicationState`, or `status` as newer clients call it (contract §4.5). */
export function parseState(query: Raw): CopyState {
  const byStatus = parseStatus(query)
  const byName = parseWord(query, 'publicationState', PUBLICATION_STATES)
  if (byStatus !== undefined && byName !== undefined && byStatus !== byName) {
    throw badQuery(['status'], 'status and publicationState contradict each other')
  }
  return byStatus ?? byName ?? 'live'
}

/** What a write shall leave behind; undefined when `status` is not given. */
export function parseStatus(query: Raw): CopyState | undefined {
  return parseWord(query, 'status', STATUSES)
}

function parseWord(
  query: Raw,
  name: string,
  words: Readonly<Record<string, CopyState>>,
): CopyState | undefined {
  const word = toText(query, name)
  if (word === undefined) return undefined
  if (Object.hasOwn(words, word)) return words[word]
  throw badQuery([name], `${name} must be one of ${Object.keys(words).join(', ')}`)
}
