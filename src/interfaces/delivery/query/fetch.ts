import { queryFault } from '../errors.ts'
import type { Parameter } from './parameters.ts'

export type Selector = 'children' | 'descendants' | 'ancestors'

/** `children:/guides`: which part of the tree a list shows; `target` is an id or a path. */
export interface Fetch {
  readonly selector: Selector
  readonly target: string
}

const FORM = /^(children|descendants|ancestors):(.*)$/is

/** Contract §6.1; undefined when nothing is asked. `offered` are the selectors the list has. */
export function parseFetch(
  parameters: readonly Parameter[],
  offered: readonly Selector[],
): Fetch | undefined {
  const [first, second] = parameters
  if (!first) return undefined
  if (second) throw fault(second, 'Only one selector is taken')
  const [, word = '', target = ''] = FORM.exec(first.value) ?? []
  const selector = offered.find((each) => each === word.toLowerCase())
  if (!selector) {
    throw fault(first, `A selector is one of ${offered.join(', ')}, a colon and an id or path`)
  }
  return { selector, target }
}

function fault(from: Parameter, message: string) {
  return queryFault('Selector option not found', from, 0, message)
}
