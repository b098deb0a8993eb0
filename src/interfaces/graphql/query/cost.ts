import { getVariableValues } from 'graphql'
import { refused, refusedFor } from '../errors.ts'
import { type Arguments, argumentsOf, type Variables } from './arguments.ts'
import type { DocumentSettings, Prepared } from './document.ts'
import { pageSizeOf } from './paging.ts'
import type { Picked } from './picked.ts'

interface Cost {
  /** The number of entries that an operation could show (contract §3). */
  readonly cost: number
  /** What it could show of them and of pages, each alias for itself. */
  readonly values: number
}

/**
 * What an operation could show, its complexity: a list counts its page size for itself and for each item with what is
 * below it, whatever leads to one thing counts one. Nothing is read for it.
 */
function costOf(roots: readonly Picked[], variables: Variables): Cost {
  let values = 0
  const cost = sum(roots, 1)
  return { cost, values }

  /** `times`: how often the answer could show it. */
  function sum(picked: readonly Picked[], times: number): number {
    let all = 0
    for (const each of picked) all += costOfField(each, times)
    return all
  }

  function costOfField(picked: Picked, times: number): number {
    const { meaning } = picked
    switch (meaning?.of) {
      case 'list':
      case 'locales':
        return costOfList(picked, sizeOf(picked), times)
      case 'step':
        if (!meaning.many) return 1 + sum(picked.of(), times)
        return costOfList(picked, meaning.most ?? sizeOf(picked), times)
      case 'node':
        return 1 + dearest(picked, times)
      case 'zone':
        return meaning.most * (1 + dearest(picked, times * meaning.most))
      case 'one':
      case 'single':
      case 'change':
      case 'fileChange':
        return 1 + sum(picked.of(), times)
      case 'self':
      case 'items':
      case 'edges':
        return sum(picked.of(), times)
      default:
        values += times
        return 0
    }
  }

  function costOfList(picked: Picked, size: number, times: number): number {
    return size * (1 + sum(picked.of(), times * size))
  }

  /** Of what one thing of several kinds may be. */
  function dearest(picked: Picked, times: number): number {
    return Math.max(0, ...kindsOf(picked).map((kind) => sum(kind, times)))
  }

  /** Arguments that are refused are refused when the field is read. */
  function sizeOf(picked: Picked): number {
    return pageSizeOf(safely(() => argumentsOf(picked, variables)) ?? {})
  }
}

function safely(read: () => Arguments): Arguments | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** What may be picked of a node or in a zone, where the type is not known before it is read. */
function kindsOf({ kinds, of }: Picked): readonly (readonly Picked[])[] {
  return kinds.map((name) => of(name))
}

/** What is followed from the entries of the root: relations, media and components. */
export interface Steps {
  /** One below the other. */
  readonly hops: number
  /** All of them, each alias for itself: a statement each. */
  readonly loads: number
}

/** The same whatever the arguments are. */
export function stepsIn(roots: readonly Picked[]): Steps {
  let loads = 0
  return { hops: hopsIn(roots), loads }

  function hopsIn(picked: readonly Picked[]): number {
    let most = 0
    for (const each of picked) {
      const { of } = each.meaning ?? {}
      const inner = of === 'node' || of === 'zone' ? kindsOf(each).flat() : each.of()
      if (of === 'step' || of === 'reference') loads++
      if (of === 'zone') loads += each.kinds.length
      most = Math.max(most, hopsIn(inner) + (of === 'step' || of === 'zone' ? 1 : 0))
    }
    return most
  }
}

/** An operation with its variables that may be executed. */
interface Admitted {
  readonly roots: readonly Picked[]
  readonly variables: Variables
  /** The answer says what it could have cost. */
  readonly headers: Readonly<Record<string, string>>
}

/** Aliases repeat values; more than so many of each entry, on average, nobody needs. */
const VALUES_PER_ENTRY = 50
/** Every relation is a statement whatever it finds, also one of which a page of no size is asked for. */
const ENTRIES_PER_LOAD = 25
/** However low the limit of the cost is: relations of single entries cost next to nothing. */
const LEAST_LOADS = 100
const MOST_ERRORS = 10

/** Refuses variables that do not fit and what could cost too much, before anything is read. */
export function admitOperation(
  prepared: Prepared,
  given: Readonly<Record<string, unknown>>,
  settings: DocumentSettings,
): Admitted {
  const { operation, schema } = prepared
  const definitions = operation.variableDefinitions ?? []
  const options = { maxErrors: MOST_ERRORS, hideSuggestions: true }
  const { variableValues, errors } = getVariableValues(schema.schema, definitions, given, options)
  if (!variableValues) throw refusedFor(errors, 'BAD_USER_INPUT')
  const { roots, ...steps } = prepared.rootsFor(variableValues.coerced)
  checkSteps(steps, settings)
  return { roots, variables: variableValues, headers: checkCost(roots, variableValues, settings) }
}

function checkSteps({ hops, loads }: Steps, { maxHops, maxCost }: DocumentSettings): void {
  if (hops > maxHops) {
    const message = `The query goes through ${hops} relations, the limit is ${maxHops}`
    throw refused('QUERY_TOO_DEEP', message)
  }
  const most = Math.max(LEAST_LOADS, Math.ceil(maxCost / ENTRIES_PER_LOAD))
  if (loads <= most) return
  const message = `The query follows ${loads} relations, the limit is ${most}; ask for fewer at once`
  throw refused('QUERY_TOO_COMPLEX', message)
}

function checkCost(
  roots: readonly Picked[],
  variables: Variables,
  { maxCost: limit }: DocumentSettings,
): Admitted['headers'] {
  const { cost, values } = costOf(roots, variables)
  const headers = { 'x-query-cost': String(cost), 'x-query-cost-limit': String(limit) }
  const refuse = (message: string, facts = {}) =>
    refused('QUERY_TOO_COMPLEX', message, facts, headers)
  if (cost > limit) {
    throw refuse(`The query could show ${cost} entries, the limit is ${limit}`, { cost, limit })
  }
  const mostValues = limit * VALUES_PER_ENTRY
  if (values > mostValues) {
    throw refuse(`The query could show ${values} values, the limit is ${mostValues}`)
  }
  return headers
}
