import { queryFault } from '../errors.ts'
import type { Parameter } from './parameters.ts'

export interface SortExpression {
  readonly from: Parameter
  readonly field: string
  readonly at: number
  readonly order: 'asc' | 'desc'
}

const EXPRESSION = /^([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*):(asc|des)[a-z]*$/i
const MAX_SORTS = 20

/** Contract §6.3: `createDate:desc,name:asc`, also repeated; the first is the primary key. */
export function parseSortTexts(parameters: readonly Parameter[]): readonly SortExpression[] {
  const all = parameters.flatMap(parseSortText)
  const first = all[MAX_SORTS]
  if (first) throw sortFault(first.from, first.at, `At most ${MAX_SORTS} sorts are taken`)
  return all
}

function parseSortText(from: Parameter): readonly SortExpression[] {
  let at = 0
  return from.value.split(',').map((text) => {
    const start = at
    at += text.length + 1
    return parseSort(from, text, start)
  })
}

function parseSort(from: Parameter, text: string, at: number): SortExpression {
  const [, field = '', direction = ''] = EXPRESSION.exec(text) ?? []
  if (field !== '') {
    return { from, field, at, order: direction.toLowerCase() === 'asc' ? 'asc' : 'desc' }
  }
  const blank = text.search(/\s/)
  if (blank !== -1) throw sortFault(from, at + blank, 'White space is not allowed here')
  // A stray comma has no text: behind the last one it is the comma itself that is pointed at.
  const isEnd = text === '' && at === from.value.length && at > 0
  if (text === '') throw sortFault(from, isEnd ? at - 1 : at, 'This comma sorts by nothing')
  throw sortFault(from, at, `'${text}' is not a field with asc or desc, such as createDate:desc`)
}

export function sortFault(from: Parameter, at: number, message: string) {
  return queryFault('Sort option not found', from, at, message)
}
