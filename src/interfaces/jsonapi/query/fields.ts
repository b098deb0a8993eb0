import { textOf } from '#content-query'
import { badParameter } from '../errors.ts'
import type { Parameter } from './parameters.ts'

/** The members to show, by resource type; a type that is absent shows all. */
export type Fieldsets = ReadonlyMap<string, ReadonlySet<string>>

/** `fields[node--article]=title,tags`; unknown names are ignored (contract §6.5). */
export function parseFields(parameters: readonly Parameter[]): Fieldsets {
  const sets = new Map<string, ReadonlySet<string>>()
  for (const { name, keys, value } of parameters) {
    const [type, ...rest] = keys
    if (type === undefined || type === '' || rest.length > 0) {
      throw badParameter(name, 'A fieldset has the form fields[type--bundle]=field,field')
    }
    const names = textOf(value)
      .split(',')
      .map((field) => field.trim())
    sets.set(type, new Set(names.filter((field) => field !== '')))
  }
  return sets
}
