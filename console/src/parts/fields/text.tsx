import { Textarea, TextInput } from '@mantine/core'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

/** One line. */
export function StringField(props: FieldProps) {
  const { value, onChange, attribute } = props
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      dir="auto"
      type={attribute.type === 'email' ? 'email' : 'text'}
      maxLength={attribute.maxLength ?? undefined}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  )
}

/** Several lines; grows with what is written. */
export function TextField(props: FieldProps) {
  const { value, onChange } = props
  return (
    <Textarea
      {...wrapperOf(props)}
      required={false}
      dir="auto"
      autosize
      minRows={3}
      maxRows={20}
      value={textOf(value)}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  )
}
