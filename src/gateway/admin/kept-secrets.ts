import { isObject } from '#kernel'
import type { Fault } from '../resources/check.ts'
import type { Description } from '../resources/descriptions.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import { invalidConfiguration } from './errors.ts'
import { replaceAt } from './patch.ts'
import type { Stored } from './store.ts'

/** What stands for a secret where a viewer looks. */
export const MASK = '******'

/**
 * A value that was read can be put back: what was masked in it, or not shown at all, stays as it is
 * stored. A private key belongs to its certificate, so it stays only with that one.
 */
export function withKept(
  description: Pick<Description, 'hidden' | 'secrets'> | undefined,
  value: JsonObject,
  before: Stored | undefined,
): JsonObject {
  if (!description) return value
  return withHidden(description.hidden, withMasked(description, value, before), before)
}

/** Where a mask stands for nothing: no secret is stored in its place. */
export function maskFaults(
  description: Pick<Description, 'secrets'> | undefined,
  value: JsonObject,
  before: Stored | undefined,
): Fault[] {
  return maskedPaths(description, value)
    .filter((path) => before === undefined || valueAt(before.value, path) === undefined)
    .map((path) => ({
      path: `/${path.join('/')}`,
      message: 'is masked and nothing is stored there: send the secret itself',
    }))
}

function withMasked(
  description: Pick<Description, 'secrets'>,
  value: JsonObject,
  before: Stored | undefined,
): JsonObject {
  const faults = maskFaults(description, value, before)
  if (faults.length > 0) throw invalidConfiguration(faults)
  return maskedPaths(description, value).reduce((kept, path) => {
    const stored = before && valueAt(before.value, path)
    return stored === undefined ? kept : replaceAt(kept, path, stored)
  }, value)
}

function maskedPaths(
  description: Pick<Description, 'secrets'> | undefined,
  value: JsonObject,
): string[][] {
  return (description?.secrets(value) ?? []).filter((path) => valueAt(value, path) === MASK)
}

function withHidden(
  hidden: readonly string[],
  value: JsonObject,
  before: Stored | undefined,
): JsonObject {
  if (!before || value['cert'] !== before.value['cert']) return value
  const kept = hidden.flatMap((name): [string, Json][] => {
    const stored = valueAt(before.value, [name])
    return stored === undefined || Object.hasOwn(value, name) ? [] : [[name, stored]]
  })
  return kept.length === 0 ? value : { ...value, ...Object.fromEntries(kept) }
}

function valueAt(value: JsonObject, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}
