import { Composer, CST, type Document, Lexer, LineCounter, Parser } from 'yaml'
import { type Path, placeOf, toValue } from './value.ts'

export interface YamlLimits {
  readonly maxDepth: number
  /** Of values as they are when every alias stands for what it names. */
  readonly maxValues: number
}

/** Where in the text, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface ParsedYaml {
  /** As `JSON.parse` could have made it. */
  readonly value: unknown
  /** Where the member of that path stands, or the nearest one around it. */
  placeOf(path: Path): Place
}

/** What cannot be read, or must not be, with its place in the text. */
export class YamlFault extends Error implements Place {
  readonly line: number
  readonly column: number

  constructor(message: string, { line, column }: Place) {
    super(`${message} (line ${line}, column ${column})`)
    this.name = 'YamlFault'
    this.line = line
    this.column = column
  }
}

/** Of the parser: a document, and what is being read on the deepest level. */
const STACK_AROUND = 4
/** What aliases may add to the text of a small document, in characters. */
const SPARE_TEXT = 2 ** 20
/** Spaces, indicators and line ends are lexemes too. */
const LEXEMES_PER_VALUE = 8

/**
 * One document of YAML 1.2 that says what JSON could say. Whatever its text is, the work is bounded: nesting is
 * counted while the text is read, since what comes after reading is recursive, and aliases by what they stand for.
 * Tags, directives and merge keys are refused: each makes another value of the same text.
 */
export function parseYaml(text: string, limits: YamlLimits): ParsedYaml {
  const lines = new LineCounter()
  const fail: Fail = (message, offset) => {
    const { line, col } = lines.linePos(offset)
    throw new YamlFault(message, { line: Math.max(line, 1), column: Math.max(col, 1) })
  }
  const document = compose(text, lines, limits, fail)
  const [error] = document.errors
  if (error) fail(firstLine(error.message), error.pos[0])
  return {
    value: toValue(document.contents, { ...limits, maxText: 2 * text.length + SPARE_TEXT }, fail),
    placeOf(path) {
      const { line, col } = lines.linePos(placeOf(document.contents, path))
      return { line, column: col }
    },
  }
}

export type Fail = (message: string, offset: number) => never

function compose(text: string, lines: LineCounter, limits: YamlLimits, fail: Fail): Document {
  // Repeated keys are found later: here each would be compared with all others of its map.
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const documents = [...composer.compose(readTokens(text, lines, limits, fail), true, text.length)]
  const [first, second] = documents
  if (!first) throw new Error('the composer was told to make a document')
  if (second) fail('only one document is possible', second.range[0])
  return first
}

function* readTokens(text: string, lines: LineCounter, limits: YamlLimits, fail: Fail) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let count = 0
  let isText = false
  for (const lexeme of new Lexer().lex(text)) {
    // After this mark comes the text of a scalar, whatever it looks like.
    const type: CST.TokenType | null = isText ? null : CST.tokenType(lexeme)
    isText = type === 'scalar'
    if (type === 'tag') fail('tags are not possible', parser.offset)
    if (type === 'directive-line') fail('directives are not possible', parser.offset)
    if (++count > limits.maxValues * LEXEMES_PER_VALUE) {
      fail(`too long: more than ${limits.maxValues} values`, parser.offset)
    }
    yield* parser.next(lexeme)
    if (parser.stack.length > limits.maxDepth + STACK_AROUND) {
      fail(`nested deeper than ${limits.maxDepth}`, parser.offset)
    }
  }
  yield* parser.end()
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text
}
