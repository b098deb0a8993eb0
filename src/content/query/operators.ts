import type { CompareOperator } from './ast.ts'
import type { PositiveOperator } from './resolved.ts'

/** The operators of filters (CMS REST §4.1), which dialects share, and what each of them is for. */

export type Operation = readonly [CompareOperator, fold: boolean]

export const OPERATORS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['$eq', ['eq', false]],
  ['$eqi', ['eq', true]],
  ['$ne', ['ne', false]],
  ['$nei', ['ne', true]],
  ['$lt', ['lt', false]],
  ['$lte', ['lte', false]],
  ['$gt', ['gt', false]],
  ['$gte', ['gte', false]],
  ['$in', ['in', false]],
  ['$ini', ['in', true]],
  ['$notIn', ['notIn', false]],
  ['$notIni', ['notIn', true]],
  ['$contains', ['contains', false]],
  ['$containsi', ['contains', true]],
  ['$notContains', ['notContains', false]],
  ['$notContainsi', ['notContains', true]],
  ['$startsWith', ['startsWith', false]],
  ['$startsWithi', ['startsWith', true]],
  ['$endsWith', ['endsWith', false]],
  ['$endsWithi', ['endsWith', true]],
  ['$between', ['between', false]],
])

/** They take several values; any other one with several is fulfilled by one of them. */
export const LISTS: ReadonlySet<CompareOperator> = new Set(['in', 'notIn', 'between'])

/** For texts alone. */
export const PARTIAL: ReadonlySet<PositiveOperator> = new Set([
  'contains',
  'startsWith',
  'endsWith',
  'like',
  'word',
])

/** What tags are asked with. */
export const MEMBERSHIP: ReadonlySet<PositiveOperator> = new Set(['contains', 'eq', 'in'])

/** What the ids of relations and files are asked with. */
export const IDENTITY: ReadonlySet<PositiveOperator> = new Set(['eq', 'in'])
