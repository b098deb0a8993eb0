import { TextInput } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { ownOf } from '../own.ts'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

/** Follows the field it is made from until somebody writes one; the server makes it unique. */
export function UidField(props: FieldProps) {
  const { value, values, attribute, onChange } = props
  const source = attribute.targetField ? textOf(ownOf(values, attribute.targetField)) : ''
  const derived = slugOf(source)
  const last = useRef(derived)
  // All of them: whoever types fast is ahead of what is shown.
  const made = useRef(new Set([derived]))
  useEffect(() => {
    if (derived === last.current) return
    last.current = derived
    const text = textOf(value)
    if (text !== '' && !made.current.has(text)) return
    made.current.add(derived)
    onChange(derived || null)
  }, [derived, value, onChange])
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      description={attribute.targetField ? `Made from ${attribute.targetField}` : undefined}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  )
}

/** Near enough to what the server makes of it; other scripts are left to the server. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
