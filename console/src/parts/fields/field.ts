import type { ComponentType } from 'react'
import type { Attribute } from '../../api/content.ts'

/** What every editor of a value is given. `null` is no value. */
export interface FieldProps {
  readonly name: string
  readonly attribute: Attribute
  readonly value: unknown
  readonly error?: string | undefined
  /** Faults inside of the value by path below it, for components and zones. */
  readonly errors: Readonly<Record<string, string>>
  /** The values beside it: an address is made from a title. */
  readonly values: Readonly<Record<string, unknown>>
  onChange(value: unknown): void
}

export type FieldEditor = ComponentType<FieldProps>

/** What stands above, below and at every editor. */
export function wrapperOf({ name, attribute, error }: FieldProps) {
  return {
    label: name,
    required: attribute.required === true,
    // The server judges: a draft may lack what an entry must have to go live.
    withAsterisk: attribute.required === true,
    error,
  }
}

/** Empty text is no value. */
export function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value)
}

/** No answer shows it: what is not given stays as it is stored, and null clears it. */
export function isHidden({ type, private: isPrivate }: Attribute): boolean {
  return isPrivate === true || type === 'password'
}
