import { PasswordInput } from '@mantine/core'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

/** Never sent by the server: empty means that it stays as it is. */
export function PasswordField(props: FieldProps) {
  return (
    <PasswordInput
      {...wrapperOf(props)}
      required={false}
      description="Never shown. Leave it empty to keep it."
      autoComplete="new-password"
      value={textOf(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value || undefined)}
    />
  )
}
