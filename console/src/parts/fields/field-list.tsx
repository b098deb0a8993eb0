import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Attributes } from '../../api/content.ts'
import { ownOf } from '../own.ts'
import { editorOf } from './index.ts'

type Values = Readonly<Record<string, unknown>>

interface Props {
  readonly attributes: Attributes
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  onChange(values: Values): void
  /** Shown at the right of a field, such as its value in another language. */
  beside?(name: string): ReactNode
}

/** A form made from a definition. */
export function FieldList({ attributes, values, errors, onChange, beside }: Props) {
  return (
    <Stack gap="md" mt="xs">
      {Object.entries(attributes).map(([name, attribute]) => {
        const Editor = editorOf(attribute.type)
        return (
          <div key={name} className={beside ? 'field-beside' : undefined} data-field={name}>
            <div>
              <Editor
                name={name}
                attribute={attribute}
                value={ownOf(values, name) ?? null}
                values={values}
                error={faultAt(errors, name)}
                errors={inside(errors, name)}
                onChange={(value) => onChange({ ...values, [name]: value })}
              />
              {attribute.private && (
                <Text size="xs" c="dimmed">
                  Private: what is stored is never shown. What you write takes its place; empty
                  keeps it.
                </Text>
              )}
            </div>
            {beside?.(name)}
          </div>
        )
      })}
    </Stack>
  )
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
