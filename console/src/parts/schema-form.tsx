import {
  ActionIcon,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  Stack,
  TagsInput,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useState } from 'react'
import { CodeEditor } from './code-editor.tsx'
import { icons } from './icons.tsx'
import { NotJson, parseJson } from './not-json.ts'
import { NumberField } from './number-field.tsx'

/** As much of JSON Schema as the forms understand; everything else is edited as JSON. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

type Values = Readonly<Record<string, unknown>>

interface Props {
  readonly schema: Schema
  readonly value: Values
  onChange(value: Values): void
  /** By member, in words. */
  readonly errors?: Readonly<Record<string, string>>
}

/** A form made from a schema. A member that is left empty is not sent, so that its default holds. */
export function SchemaForm({ schema, value, onChange, errors = {} }: Props) {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) {
    return (
      <JsonField
        label="Configuration"
        value={value}
        onChange={(next) => onChange(toValues(next))}
      />
    )
  }
  return (
    <Stack gap="sm">
      {members.map(([name, member]) => (
        <Field
          key={name}
          name={name}
          schema={member}
          isRequired={schema.required?.includes(name) ?? false}
          value={value[name]}
          error={errors[name]}
          onChange={(next) => onChange(withMember(value, name, next))}
        />
      ))}
    </Stack>
  )
}

interface FieldProps {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly value: unknown
  readonly error: string | undefined
  onChange(value: unknown): void
}

function Field({ name, schema, isRequired, value, error, onChange }: FieldProps) {
  const label = name
  const shared = { label, description: schema.description, required: isRequired, error }
  const choices = choicesOf(schema)
  if (choices) {
    const data = choices.map(String)
    return (
      <NativeSelect
        {...shared}
        // What is not set must not look as if the first were.
        data={
          isRequired && value !== undefined ? data : [{ value: '', label: hintOf(schema) }, ...data]
        }
        value={value === undefined ? '' : String(value)}
        onChange={(event) => {
          const text = event.currentTarget.value
          onChange(text === '' ? undefined : choices.find((each) => String(each) === text))
        }}
      />
    )
  }
  switch (schema.type) {
    case 'boolean':
      return (
        <Checkbox
          label={label}
          description={schema.description}
          error={error}
          checked={Boolean(value ?? schema.default ?? false)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'integer':
    case 'number':
      return (
        <NumberField
          {...shared}
          placeholder={hintOf(schema)}
          allowDecimal={schema.type === 'number'}
          value={typeof value === 'number' ? value : null}
          onChange={(next) => onChange(next ?? undefined)}
        />
      )
    case 'string':
      return (
        <TextInput
          {...shared}
          placeholder={hintOf(schema)}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      )
    case 'array':
      if (schema.items?.type !== 'string') break
      return (
        <TagsInput
          {...shared}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(next) => onChange(next.length === 0 ? undefined : next)}
        />
      )
    case 'object':
      if (!schema.properties) break
      return <Members label={label} schema={schema} value={value} onChange={onChange} />
  }
  return (
    <JsonField
      label={isRequired ? `${label} *` : label}
      description={schema.description}
      value={value}
      onChange={onChange}
    />
  )
}

/** Members of a member, folded away until somebody wants them. */
function Members({
  label,
  schema,
  value,
  onChange,
}: {
  label: string
  schema: Schema
  value: unknown
  onChange(value: unknown): void
}) {
  const [isOpen, setOpen] = useState(value !== undefined)
  return (
    <Fieldset
      legend={
        <Group gap={4}>
          {label}
          <Tooltip label={isOpen ? 'Leave out' : 'Add'}>
            <ActionIcon
              size="xs"
              variant="subtle"
              aria-label={`${isOpen ? 'Leave out' : 'Add'} ${label}`}
              onClick={() => {
                if (isOpen) onChange(undefined)
                setOpen(!isOpen)
              }}
            >
              {isOpen ? icons.close : icons.plus}
            </ActionIcon>
          </Tooltip>
        </Group>
      }
    >
      {isOpen && <SchemaForm schema={schema} value={toValues(value)} onChange={onChange} />}
    </Fieldset>
  )
}

function JsonField({
  label,
  description,
  value,
  onChange,
}: {
  label: string
  description?: string | undefined
  value: unknown
  onChange(value: unknown): void
}) {
  const [text, setText] = useState(() => {
    if (value instanceof NotJson) return value.text
    return value === undefined ? '' : JSON.stringify(value, null, 2)
  })
  return (
    <CodeEditor
      label={label}
      description={description ?? 'As JSON'}
      language="json"
      text={text}
      error={value instanceof NotJson ? 'This is not JSON yet' : undefined}
      onChange={(next) => {
        setText(next)
        onChange(next.trim() === '' ? undefined : parseJson(next))
      }}
    />
  )
}

function choicesOf({ enum: choices, anyOf }: Schema): readonly unknown[] | undefined {
  if (choices) return choices
  if (anyOf?.every((one) => one.const !== undefined)) return anyOf.map((one) => one.const)
  return undefined
}

function hintOf({ default: value }: Schema): string {
  return value === undefined ? '' : `default: ${JSON.stringify(value)}`
}

function withMember(value: Values, name: string, next: unknown): Values {
  if (next !== undefined) return { ...value, [name]: next }
  const { [name]: _, ...rest } = value
  return rest
}

function toValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}
