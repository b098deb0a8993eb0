import { TextInput } from '@mantine/core'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

const WHOLE = /^-?\d+$/
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** As typed until it is a number, so that `1.` can be written; large ones stay text and lose nothing. */
export function NumberField(props: FieldProps) {
  const { value, onChange, attribute } = props
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      inputMode={attribute.type.endsWith('integer') ? 'numeric' : 'decimal'}
      description={rangeOf(props)}
      value={textOf(value)}
      onChange={(event) => onChange(toNumber(event.currentTarget.value, attribute.type))}
    />
  )
}

function toNumber(text: string, kind: string): unknown {
  if (text === '') return null
  if (kind === 'biginteger') return text
  const isNumber = (kind === 'integer' ? WHOLE : DECIMAL).test(text)
  // What would not be shown again as it was typed is kept as text until it is complete.
  return isNumber && String(Number(text)) === text ? Number(text) : text
}

function rangeOf({ attribute: { min, max } }: FieldProps): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max}`
  if (min !== undefined) return `at least ${min}`
  return max === undefined ? undefined : `at most ${max}`
}
