import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject, OperatorError } from '#kernel'

const DEFAULT_FILE = 'entrepot.config.json'

export interface SettingsFile {
  /** Undefined when there is none, which is only allowed for the default name. */
  readonly path: string | undefined
  /** Members by full name: `{ gateway: { port: 1 } }` and `{ 'gateway.port': 1 }` are the same. */
  readonly members: readonly (readonly [name: string, value: unknown])[]
}

export function readSettingsFile(named: string | undefined, cwd: string): SettingsFile {
  const path = resolve(cwd, named ?? DEFAULT_FILE)
  const text = readText(path, named === undefined)
  if (text === undefined) return { path: undefined, members: [] }
  const content = parse(text, path)
  if (!isObject(content)) throw new OperatorError(`${path} must hold a JSON object`)
  return { path, members: flatten(content, '') }
}

function readText(path: string, mayBeAbsent: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' && mayBeAbsent) return undefined
    const reason = code === 'ENOENT' ? 'there is no such file' : code || 'unknown reason'
    throw new OperatorError(`Cannot read the settings file ${path}: ${reason}`, error)
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const place = position(text, error)
    throw new OperatorError(`The settings file ${path} is not valid JSON${place}`)
  }
}

/** The parser's own message quotes the file, which may hold secrets; only the place is safe. */
function position(text: string, error: unknown): string {
  const found = /position (\d+)/.exec(String(error))
  if (!found) return ''
  const before = text.slice(0, Number(found[1])).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`
}

function flatten(object: object, prefix: string): [string, unknown][] {
  return Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    const name = prefix + key
    return isObject(value) ? flatten(value, `${name}.`) : [[name, value]]
  })
}
