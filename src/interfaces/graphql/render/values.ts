import { type JsonValue, type WireKind, wireKindOf } from '#content'
import type { ScalarAttribute } from '#content-model'
import { enumNames } from '../schema/values.ts'

type Render = (value: Exclude<JsonValue, null>) => string

const plain: Render = (value) => JSON.stringify(value)

/** Contract §4: what of a value is not written as the store has it. */
const RENDER: Readonly<Record<WireKind, Render>> = {
  text: plain,
  markup: plain,
  blocks: plain,
  secret: () => 'null',
  integer: plain,
  bigInteger: (value) => (Number.isSafeInteger(Number(value)) ? String(value) : plain(value)),
  decimal: plain,
  float: plain,
  boolean: plain,
  date: plain,
  time: plain,
  datetime: plain,
  json: plain,
  words: plain,
  link: plain,
}

/** How values of an attribute are written; null where there is none. */
export function renderValueOf(attribute: ScalarAttribute) {
  const render =
    attribute.type === 'enumeration' ? renderChoice(attribute.enum) : RENDER[wireKindOf(attribute)]
  return (value: JsonValue | undefined): string | null =>
    value === null || value === undefined ? null : render(value)
}

/** A choice that was removed from the attribute has no name any more. */
function renderChoice(choices: readonly string[]): Render {
  const names = enumNames(choices)
  return (value) => {
    const name = names.get(String(value))
    return name === undefined ? 'null' : `"${name}"`
  }
}
