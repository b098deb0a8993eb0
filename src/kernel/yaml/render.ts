import { Document, visit } from 'yaml'

/** Words that are no texts to readers of YAML 1.1 or 1.2, in any capitals. */
const WORDS = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i
/** Texts that every reader of YAML takes for texts without quotes. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9_/.*-]*$/
/** Lines that a block can hold as they are. */
const LINES = /^[!-~][ -~]*(\n([!-~][ -~]*)?)+$/

/** YAML that readers of version 1.1 and of 1.2 understand alike; anything but simple words is in quotes. */
export function renderYaml(value: unknown): string {
  const document = new Document(value, { version: '1.2', aliasDuplicateObjects: false })
  visit(document, {
    Scalar(at, node) {
      if (typeof node.value === 'string') node.type = styleOf(node.value, at === 'key')
    },
  })
  return document.toString({
    lineWidth: 0,
    blockQuote: 'literal',
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
}

function styleOf(text: string, isKey: boolean) {
  if (PLAIN.test(text) && !WORDS.test(text)) return 'PLAIN'
  return !isKey && LINES.test(text) && !/ \n| $/.test(text) ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE'
}
