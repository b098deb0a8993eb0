import { Checkbox, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Attribute, Attributes } from '../../api/content.ts'
import { ownOf } from '../own.ts'
import { isHidden } from './field.ts'
import { editorOf } from './index.ts'

type Values = Readonly<Record<string, unknown>>

interface Props {
  readonly attributes: Attributes
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  /** Nothing is stored yet. */
  readonly isNew: boolean
  onChange(values: Values): void
  /** Shown at the right of a field, such as its value in another language. */
  beside?(name: string): ReactNode
}

/** A form made from a definition. */
export function FieldList({ attributes, values, errors, isNew, onChange, beside }: Props) {
  return (
    <Stack gap="md" mt="xs">
      {Object.entries(attributes).map(([name, attribute]) => {
        const Editor = editorOf(attribute.type)
        const value = ownOf(values, name)
        const set = (next: unknown) => onChange({ ...values, [name]: next })
        return (
          <div key={name} className={beside ? 'field-beside' : undefined} data-field={name}>
            <div>
              <Editor
                name={name}
                attribute={attribute}
                value={value ?? null}
                values={values}
                error={faultAt(errors, name)}
                errors={inside(errors, name)}
                onChange={(next) => set(isHidden(attribute) && isEmpty(next) ? undefined : next)}
              />
              {isHidden(attribute) && (
                <Hidden {...{ name, attribute, value, isNew }} onChange={set} />
              )}
            </div>
            {beside?.(name)}
          </div>
        )
      })}
    </Stack>
  )
}

interface HiddenProps {
  readonly name: string
  readonly attribute: Attribute
  readonly value: unknown
  readonly isNew: boolean
  onChange(value: null | undefined): void
}

/** An empty field cannot mean both that a value stays and that it goes. */
function Hidden({ name, attribute, value, isNew, onChange }: HiddenProps) {
  return (
    <Stack gap={4} mt={4}>
      {attribute.private && (
        <Text size="xs" c="dimmed">
          Private: what is stored is never shown. What you write takes its place; empty keeps it.
        </Text>
      )}
      {!isNew && (
        <Checkbox
          size="xs"
          label={`Clear what is stored in ${name}`}
          checked={value === null}
          onChange={({ currentTarget: { checked } }) => onChange(checked ? null : undefined)}
        />
      )}
    </Stack>
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** The API names references by what they are written as. */
function faultAt(errors: Readonly<Record<string, string>>, name: string): string | undefined {
  return ownOf(errors, name) ?? ownOf(errors, `${name}_id`)
}

function inside(errors: Readonly<Record<string, string>>, name: string): Record<string, string> {
  const prefix = `${name}.`
  const own = Object.entries(errors).filter(([path]) => path.startsWith(prefix))
  return Object.fromEntries(own.map(([path, message]) => [path.slice(prefix.length), message]))
}
