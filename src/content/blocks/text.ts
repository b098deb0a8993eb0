import type { JsonObject, JsonValue } from '../json.ts'
import { nodesIn } from './check.ts'

/** What people read of rich text in the form of nodes: a line for each paragraph, heading or item. */
export function textOfBlocks(value: JsonValue): string {
  return nodesIn(value).flatMap(linesOf).join('\n')
}

function linesOf(node: JsonObject): readonly string[] {
  const { type, children = [] } = node
  if (type === 'list') return nodesIn(children).flatMap(linesOf)
  const line = nodesIn(children).map(inlineText).join('')
  return line === '' ? [] : [line]
}

function inlineText({ text, children = [] }: JsonObject): string {
  return typeof text === 'string' ? text : nodesIn(children).map(inlineText).join('')
}

/** A paragraph for each line of a text. */
export function blocksOfText(text: string): JsonValue {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => ({ type: 'paragraph', children: [{ type: 'text', text: line }] }))
}
