import { TextInput } from '@mantine/core'
import { type FieldProps, textOf, wrapperOf } from './field.ts'

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

export function DateField(props: FieldProps) {
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      type="date"
      value={textOf(props.value)}
      onChange={(event) => props.onChange(event.currentTarget.value || null)}
    />
  )
}

export function TimeField(props: FieldProps) {
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      type="time"
      step={1}
      value={textOf(props.value).slice(0, 8)}
      onChange={(event) => props.onChange(event.currentTarget.value || null)}
    />
  )
}

/** Typed in the person's zone, kept as an instant. */
export function DatetimeField(props: FieldProps) {
  const instant = textOf(props.value)
  return (
    <TextInput
      {...wrapperOf(props)}
      required={false}
      type="datetime-local"
      step={1}
      description={`In ${ZONE}${instant ? `; ${instant.slice(0, 19).replace('T', ' ')} UTC` : ''}`}
      value={toLocal(instant)}
      onChange={(event) => props.onChange(toInstant(event.currentTarget.value))}
    />
  )
}

/** As the input of the browser wants it. */
export function toLocal(instant: string): string {
  if (instant === '') return ''
  const date = new Date(instant)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

export function toInstant(local: string): string | null {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
