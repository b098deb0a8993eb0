import { isObject } from '#kernel'
import { checkBlocks } from '../../blocks/check.ts'
import { textOfBlocks } from '../../blocks/text.ts'
import type { JsonValue } from '../../json.ts'
import type { TextAttribute } from '../../model.ts'
import { parseJson } from '../json.ts'
import type { FieldKind } from '../kind.ts'
import { NONE } from './options.ts'
import { notComparable, refused } from './results.ts'
import { lengthOf } from './text.ts'

const FORMAT = 'blocks'

/**
 * Richtext whose format is `blocks`: a list of nodes instead of markup. The attribute says so, and not
 * each value, so that clients know what they get. Lengths are those of what people read.
 */
export const blocks: FieldKind<TextAttribute> = {
  type: 'richtext',
  wireKind: 'blocks',
  options: NONE,
  column: { kind: 'text', compared: false, folded: true, indexed: false },
  searched: true,
  openapi: () => ({ type: 'array', items: { type: 'object', required: ['type'] } }),
  parse(given, { maxLength }) {
    const { value, format } = isObject(given) ? given : { value: given, format: FORMAT }
    if ((format ?? FORMAT) !== FORMAT) return refused('format', `must have the format ${FORMAT}`)
    const parsed = parseJson(value)
    if (!parsed.ok) return parsed
    const fault = checkBlocks(parsed.value)
    if (fault) return { ...refused('blocks', fault.message), at: fault.at }
    if (maxLength !== undefined && lengthOf(textOfBlocks(parsed.value)) > maxLength) {
      return refused('maxLength', `must have at most ${maxLength} characters`)
    }
    return parsed
  },
  checkLive(value, { minLength = 0 }) {
    if (minLength === 0 || lengthOf(textOfBlocks(value)) >= minLength) return undefined
    return { rule: 'minLength', message: `must have at least ${minLength} characters` }
  },
  toColumn: (value) => JSON.stringify(value),
  fromColumn: (stored): JsonValue => JSON.parse(String(stored)),
  searchText: textOfBlocks,
  parseFilter: notComparable,
}
