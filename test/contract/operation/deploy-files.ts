import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export interface Instruction {
  readonly word: string
  readonly rest: string
  /** Number of the FROM above it. */
  readonly stage: number
}

/** The instructions of a Dockerfile, continued lines put together. */
export function readDockerfile(path: string): readonly Instruction[] {
  const lines = read(path)
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  let stage = 0
  return lines.map((line) => {
    const [word = ''] = line.split(' ', 1)
    if (word === 'FROM') stage += 1
    return { word, rest: line.slice(word.length).trim(), stage }
  })
}

/** What stands in the blocks of a language in a Markdown file. */
export function blocksOf(path: string, language: string): readonly string[] {
  const blocks = read(path).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))
  return [...blocks].map(([, text = '']) => text)
}

/** `NAME=value` lines as an environment. */
export function environmentIn(text: string): Record<string, string> {
  const pairs = text.matchAll(/^(?:Environment=|ENV )?(ENTREPOT_\w+)=(\S+)/gm)
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]))
}
