import { NumberInput, type NumberInputProps } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'

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
      wrapperProps={WRAPPER}
      // The server judges: -5 that became -1 by itself would be no limit, and 0 free.
      clampBehavior="none"
      value={typed}
      onChange={(next) => {
        setTyped(next)
        onChange(toNumber(next))
      }}
    />
  )
}

/**
 * Where there is nothing before the caret, the library puts the caret to the beginning a moment after Backspace: on a busy
 * machine before what was typed meanwhile, so that 250 became 502. It is not told of such a key.
 */
const WRAPPER = {
  onKeyDownCapture(event: KeyboardEvent) {
    const { target, key } = event
    if (key !== 'Backspace' || !(target instanceof HTMLInputElement)) return
    if (target.selectionStart === 0 && target.selectionEnd === 0) event.stopPropagation()
  },
}

function toNumber(typed: number | string): number | null {
  const number = Number(typed)
  return typed === '' || !Number.isFinite(number) ? null : number
}
