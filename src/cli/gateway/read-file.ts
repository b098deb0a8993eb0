import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { isObject, OperatorError } from '#kernel'
import { type ParsedYaml, parseYaml, YamlFault } from '#yaml'
import { unreadable } from '../unreadable.ts'

/** One object of the file and where it stands in its list. */
export interface Entry {
  readonly at: number
  readonly value: unknown
}

export interface ConfigurationFile {
  readonly path: string
  /** By kind, as the file names it. */
  readonly lists: ReadonlyMap<string, readonly Entry[]>
  /** `file:line:column` of a member. */
  placeOf(path: readonly (string | number)[]): string
}

const LIMITS = { maxDepth: 64, maxValues: 1_000_000 }
const MAX_BYTES = 16 * 1024 * 1024
/** They say how often somebody else has written the list. */
const VERSION = /_conf_version$/

/** JSON is YAML too, so one reader finds the lines of both. */
export async function readConfiguration(path: string): Promise<ConfigurationFile> {
  const { value, placeOf } = parse(path, await readText(path))
  if (!isObject(value)) {
    throw new OperatorError(`${path} must hold lists of objects by their kind, such as "routes:"`)
  }
  const lists = new Map<string, Entry[]>()
  for (const [name, list] of Object.entries(value)) {
    if (VERSION.test(name) || list === null) continue
    if (!Array.isArray(list)) {
      throw new OperatorError(`${place([name])}: ${name} must be a list`)
    }
    lists.set(
      name,
      list.map((item, at) => ({ at, value: item })),
    )
  }
  return { path, lists, placeOf: place }

  function place(members: readonly (string | number)[]): string {
    const { line, column } = placeOf(members)
    return `${path}:${line}:${column}`
  }
}

function parse(path: string, text: string): ParsedYaml {
  try {
    return parseYaml(text, LIMITS)
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    throw new OperatorError(`${path} cannot be read: ${error.message}`, error)
  }
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error) => {
    throw unreadable(path, error)
  })
  if (!isUtf8(bytes)) throw new OperatorError(`${path} is not UTF-8: save the file as UTF-8`)
  if (bytes.length > MAX_BYTES) throw new OperatorError(`${path} is larger than ${MAX_BYTES} bytes`)
  return bytes.toString('utf8')
}
