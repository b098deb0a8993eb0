const COMMENT_OR_TEXT =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

const IMPORTS = [
  /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(?<name>[^'"\n]+)\1/g,
  /\bimport\s*(['"])(?<name>[^'"\n]+)\1/g,
  /\b(?:import|require|import\.meta\.resolve)\s*\(\s*(['"])(?<name>[^'"\n]+)\1/g,
  // A thread's entry file is reached by URL; data files are not code and may lie anywhere.
  /\bnew URL\(\s*(['"])(?<name>\.{1,2}\/[^'"\n]+\.[cm]?[jt]s)\1\s*,\s*import\.meta\.url/g,
]

export interface Found {
  readonly text: string
  readonly line: number
}

/** The same text with comments blanked, so that positions and lines stay. */
function withoutComments(source: string): string {
  return source.replace(COMMENT_OR_TEXT, (part) => (part.startsWith('/') ? blank(part) : part))
}

/** Only what the engine runs or the type checker reads: neither comments nor texts. */
export function codeOnly(source: string): string {
  return source.replace(COMMENT_OR_TEXT, blank)
}

/** Every module name the file refers to, whether imported, exported again or loaded later. */
export function importsOf(source: string): Found[] {
  const code = withoutComments(source)
  const found = IMPORTS.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => {
      const text = match.groups?.['name'] ?? ''
      return { text, line: lineAt(code, match.index + match[0].indexOf(text)) }
    }),
  )
  return found.sort((a, b) => a.line - b.line)
}

const SHOWN_LIST = /\bexport\s+(?:type\s+)?\{([^}]*)\}/g
const SHOWN_ONE =
  /\bexport\s+(?:default\s+|declare\s+)?(?:async\s+)?(?:const|let|class|function|interface|type)\s+\w/g

/** Every name that the file exports, its own and others' alike. */
export function namesShown(source: string): string[] {
  const code = withoutComments(source)
  const listed = [...code.matchAll(SHOWN_LIST)].flatMap(([, list = '']) => list.split(','))
  const own = [...code.matchAll(SHOWN_ONE)].map(([text]) => text)
  return [...listed.map((name) => name.trim()).filter((name) => name !== ''), ...own]
}

export function findAll(code: string, pattern: RegExp): Found[] {
  return [...code.matchAll(pattern)].map((match) => ({
    text: match[0].trim(),
    line: lineAt(code, match.index + match[0].length - 1),
  }))
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function blank(part: string): string {
  return part.replaceAll(/[^\n]/g, ' ')
}
