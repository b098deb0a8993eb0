/** Values that stand elsewhere: `$env://NAME` and `$secret://file/NAME` in any stored text. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Log } from '#kernel'
import type { Kind } from './protocol.ts'
import type { Fault } from './resources/check.ts'
import type { Description } from './resources/descriptions.ts'
import type { Json, JsonObject } from './resources/values.ts'

interface Deps {
  readonly secretsDir: string | undefined
  environment(name: string): string | undefined
  readonly log: Log
}

interface Resolved {
  readonly value: JsonObject
  readonly faults: readonly Fault[]
}

const REFERENCE = /^\$(env|secret):\/\//
const ENVIRONMENT = /^\$env:\/\/([A-Za-z_][A-Za-z0-9_]*)$/
const FILE = /^\$secret:\/\/file\/([A-Za-z0-9_-][A-Za-z0-9_.-]*)$/
/** Our own settings, the master key among them, are nobody's to forward. */
const OWN = /^ENTREPOT_/i
const MAX_BYTES = 65_536
const MASK = '******'
/** Shorter texts are everywhere: masking them would make a page unreadable and hide nothing. */
const SHORTEST_MASKED = 4

export function createReferences({ secretsDir, environment, log }: Deps) {
  /** By name, as last read; undefined: not there. */
  const files = new Map<string, string | undefined>()
  /** Gone when last looked for, or empty, as a file is while it is written. */
  const lost = new Set<string>()
  const secrets = new Set<string>()
  return { resolve, refresh, mask, describe }

  /** The value with what its references stand for; a fault for each that stands for nothing. */
  function resolve(value: JsonObject): Resolved {
    const faults: Fault[] = []
    const resolved: Record<string, Json> = {}
    for (const [name, member] of Object.entries(value)) {
      resolved[name] = visit(member, `/${name}`, faults)
    }
    return { value: resolved, faults }
  }

  function visit(value: Json, path: string, faults: Fault[]): Json {
    if (typeof value === 'string') return REFERENCE.test(value) ? look(value, path, faults) : value
    if (Array.isArray(value)) return value.map((item, at) => visit(item, `${path}/${at}`, faults))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        visit(member, `${path}/${name}`, faults),
      ]),
    )
  }

  function look(text: string, path: string, faults: Fault[]): string {
    const [, variable] = ENVIRONMENT.exec(text) ?? []
    const [, file] = FILE.exec(text) ?? []
    const found = variable === undefined ? file && readFile(file) : fromEnvironment(variable)
    if (found) {
      secrets.add(found)
      return found
    }
    faults.push({ path, message: faultOf(variable, file) })
    return text
  }

  function fromEnvironment(name: string): string | undefined {
    return OWN.test(name) ? undefined : environment(name)
  }

  function faultOf(variable: string | undefined, file: string | undefined): string {
    if (variable !== undefined) {
      return OWN.test(variable)
        ? `the environment variable ${variable} is a setting of this server and cannot be used here`
        : `the environment variable ${variable} is not set on this node`
    }
    if (file === undefined) return 'must be $env://NAME or $secret://file/NAME'
    if (secretsDir === undefined) return 'names a file, but the setting secrets_dir is not set'
    return `there is no file ${file} in secrets_dir, or it is empty or larger than ${MAX_BYTES} bytes`
  }

  function readFile(name: string): string | undefined {
    const found = contentOf(name)
    files.set(name, found)
    return found
  }

  /** Without the line end that editors leave. */
  function contentOf(name: string): string | undefined {
    if (secretsDir === undefined) return undefined
    try {
      const bytes = readFileSync(join(secretsDir, name))
      if (bytes.length > MAX_BYTES) return undefined
      return bytes.toString('utf8').replace(/\r?\n$/, '') || undefined
    } catch {
      return undefined
    }
  }

  /** Tells which values stand for a file whose content is another now; a lost file keeps its last. */
  function refresh(): ((value: JsonObject) => boolean) | undefined {
    const changed = [...files].filter(([name, before]) => {
      const now = contentOf(name)
      if (now === undefined) {
        const isNew = before !== undefined && !lost.has(name)
        if (isNew)
          log.warn({ file: name }, 'a file of secrets is gone; its last content stays in use')
        lost.add(name)
        return false
      }
      lost.delete(name)
      return now !== before
    })
    if (changed.length === 0) return undefined
    const texts = changed.map(([name]) => `"$secret://file/${name}"`)
    return (value) => {
      const text = JSON.stringify(value)
      return texts.some((each) => text.includes(each))
    }
  }

  /** For what is shown: nothing that a reference stands for is in it. */
  function mask(text: string): string {
    let masked = text
    for (const secret of secrets) {
      if (secret.length >= SHORTEST_MASKED) {
        // As it stands, and as it stands in JSON.
        const inJson = JSON.stringify(secret).slice(1, -1)
        masked = masked.replaceAll(secret, MASK).replaceAll(inJson, MASK)
      }
    }
    return masked
  }

  /** The same descriptions, which look at what references stand for. */
  function describe(all: ReadonlyMap<Kind, Description>): ReadonlyMap<Kind, Description> {
    return new Map(
      [...all].map(([kind, description]) => [
        kind,
        {
          ...description,
          findFaults(value) {
            const { value: plain, faults } = resolve(value)
            if (faults.length > 0) return [...faults]
            return description
              .findFaults(plain)
              .map(({ path, message }) => ({ path, message: mask(message) }))
          },
          placed: (value) => description.placed(resolve(value).value),
        },
      ]),
    )
  }
}

export type References = ReturnType<typeof createReferences>
