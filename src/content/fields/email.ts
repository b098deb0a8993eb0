import Type from 'typebox'
import type { TextAttribute } from '../model.ts'
import type { FieldKind } from './kind.ts'
import { LENGTHS } from './support/options.ts'
import { refused } from './support/results.ts'
import {
  checkMinLength,
  parseBoundedText,
  parseTextFilter,
  textColumn,
  textFromColumn,
} from './support/text.ts'

/** RFC 5321 §4.5.3.1.3 leaves 254 for the address between the angle brackets. */
const LONGEST = 254
const LONGEST_LOCAL = 64
const ATOM = /^[^\s@"(),:;<>[\\\]\p{Cc}.]+$/u
const LABEL = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u

/** An address as people write it: a local part without quotes, and a host name in any script. */
export const email: FieldKind<TextAttribute> = {
  type: 'email',
  wireKind: 'text',
  options: Type.Object(LENGTHS),
  column: { kind: 'text', compared: true, folded: true, indexed: true },
  searched: true,
  openapi: () => ({ type: 'string' }),
  parse(value, attribute) {
    const text = parseBoundedText(value, attribute, LONGEST)
    if (!text.ok || isAddress(text.value)) return text
    return refused('email', 'must be an e-mail address')
  },
  checkLive: checkMinLength,
  toColumn: textColumn,
  fromColumn: textFromColumn,
  parseFilter: parseTextFilter,
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || at > LONGEST_LOCAL) return false
  const isLocal = text
    .slice(0, at)
    .split('.')
    .every((atom) => ATOM.test(atom))
  return (
    isLocal &&
    text
      .slice(at + 1)
      .split('.')
      .every((label) => LABEL.test(label))
  )
}
