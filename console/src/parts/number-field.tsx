import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value: number | null | undefined
  /** Null while the field is empty, or not a number yet. */
  onChange(value: number | null): void
}

/** A number as it is typed. An empty field is none: a zero that came by itself would stay behind what is typed next. */
export function NumberField({ value = null, onChange, ...props }: Props) {
  const [typed, setTyped] = useState<number | string>(value ?? '')
  // Somebody else has set it.
  if (toNumber(typed) !== value) setTyped(value ?? '')
  return (
    <NumberInput
      {...props}
      value={typed}
      onChange={(next) => {
        setTyped(next)
        onChange(toNumber(next))
      }}
    />
  )
}

function toNumber(typed: number | string): number | null {
  const number = Number(typed)
  return typed === '' || !Number.isFinite(number) ? null : number
}
