import { badParameter } from '../errors.ts'
import { onlyValue, type Parameter } from './parameters.ts'

/** `resourceVersion` (contract §6.6). */
export type VersionChoice =
  | { readonly kind: 'latest' }
  | { readonly kind: 'working' }
  /** The revision that links name. */
  | { readonly kind: 'revision'; readonly id: number }

export const RESOURCE_VERSION = 'resourceVersion'

/** Undefined when the parameter is absent. */
export function parseVersion(parameters: readonly Parameter[]): VersionChoice | undefined {
  const given = onlyValue(parameters, RESOURCE_VERSION)
  if (given === undefined) return undefined
  if (given === 'rel:latest-version') return { kind: 'latest' }
  if (given === 'rel:working-copy') return { kind: 'working' }
  const [, id] = /^id:(\d{1,15})$/.exec(given) ?? []
  if (id !== undefined) return { kind: 'revision', id: Number(id) }
  throw badParameter(
    RESOURCE_VERSION,
    'resourceVersion must be rel:latest-version, rel:working-copy or id:<number>',
  )
}
