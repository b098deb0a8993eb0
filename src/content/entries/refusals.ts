import { DomainError, type Issue, invalid, unavailable } from '#kernel'
import type { Problems } from './input/parsed.ts'

/** Another writer took a name between our look and our write; looked at again, another is free. */
export class LostRace extends Error {
  constructor(cause?: unknown) {
    super('another writer was quicker', { cause })
  }
}

/** Of an upsert: the value of its key is taken, although no entry is found by it. */
export class KeyTaken extends LostRace {}

/** Nothing is wrong with what was sent: written again it can succeed, as whatever else is `unavailable`. */
export function lostRace(cause: unknown): DomainError {
  return unavailable('lost_race', 'Others are writing the same values; try again', cause)
}

export function typeChanged(): DomainError {
  return unavailable('type_changed', 'The content type was changed just now; try again')
}

/** What came of one of several that are done together. */
export type Tried<Value> = { readonly value: Value } | { readonly refusal: DomainError }

/** A refusal of one does not keep the others from being done. */
export async function trying<Value>(work: () => Value | Promise<Value>): Promise<Tried<Value>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof DomainError) return { refusal: error }
    throw error
  }
}

export function orRefuse<Value>(tried: Tried<Value>): Value {
  if ('value' in tried) return tried.value
  throw tried.refusal
}

/** Faults of the input come before those that only the store shows. */
export function refuse(problems: Problems, unknown?: Problems) {
  if (problems.issues.length > 0) throw refusal(problems.issues)
  if (unknown && unknown.issues.length > 0) throw badReferences(unknown.issues)
}

function refusal(issues: readonly Issue[]): DomainError {
  const isUnknown = issues.every(({ rule }) => rule === 'unknown_field')
  return invalid(issues, isUnknown ? 'unknown_field' : undefined)
}

function badReferences(issues: readonly Issue[]): DomainError {
  const message = issues.map((issue) => issue.message).join('; ')
  return new DomainError('unprocessable', 'invalid_reference', message, { issues })
}

/** The input is well formed, but what is stored keeps the entry from going live. */
export function notPublishable(issues: readonly Issue[]): DomainError {
  const message = issues.map((issue) => issue.message).join('; ')
  return new DomainError('unprocessable', 'not_publishable', message, { issues })
}

export function taken(names: readonly string[], message: string): DomainError {
  const issues = names.map((name) => ({
    path: [name],
    rule: 'unique',
    message: `${name} ${message}`,
  }))
  return new DomainError('conflict', 'conflict', issues.map((issue) => issue.message).join('; '), {
    issues,
  })
}

export function localeExists(locale: string): DomainError {
  const message = `The document already has a variant in ${locale}`
  return new DomainError('conflict', 'locale_exists', message, {
    issues: [{ path: ['locale'], rule: 'locale_exists', message }],
  })
}

export function stale(): DomainError {
  return new DomainError('stale', 'precondition_failed', 'The entry has changed since it was read')
}

/** What is made only once, such as a single, is changed (`change`) if somebody else has made it in the meantime. */
export function orChange<Answer>(
  making: Promise<Answer>,
  change: () => Promise<Answer | undefined>,
): Promise<Answer> {
  return making.catch(async (error: unknown) => {
    const isTaken = error instanceof DomainError && error.kind === 'conflict'
    const answer = isTaken ? await change() : undefined
    if (answer === undefined) throw error
    return answer
  })
}
