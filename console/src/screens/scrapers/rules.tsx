import { ActionIcon, Button, Group, Input, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { icons } from '../../parts/icons.tsx'
import type { Definition } from './records.ts'

type Extract = NonNullable<Definition['extract']>

interface Props {
  readonly extract: Extract
  onChange(extract: Extract): void
}

interface Row {
  readonly key: number
  readonly name: string
  /** A selector, `selector@attribute`, or the whole rule as JSON. */
  readonly rule: string
}

/** What is read from a page: by itself, or by a selector for each field. */
export function Rules({ extract, onChange }: Props) {
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(extract.fields ?? {}))

  function change(next: readonly Row[]) {
    setRows(next)
    const given = next.filter(({ name, rule }) => name !== '' && rule !== '')
    const fields = Object.fromEntries(given.map(({ name, rule }) => [name, toRule(rule)]))
    const hasFields = given.length > 0
    const mode = hasFields && (extract.mode ?? 'auto') === 'auto' ? 'fields' : extract.mode
    onChange({ ...extract, fields, ...(mode === undefined ? {} : { mode }) })
  }

  return (
    <Stack gap="sm">
      <NativeSelect
        label="What is collected"
        value={extract.mode ?? 'auto'}
        data={[
          { value: 'auto', label: 'what the page says of itself' },
          { value: 'fields', label: 'the fields below' },
          { value: 'both', label: 'both' },
        ]}
        onChange={(event) => onChange({ ...extract, mode: event.currentTarget.value })}
      />
      <TextInput
        label="Each item is"
        description="A selector when a page has several items"
        placeholder=".product"
        value={extract.item_selector ?? ''}
        onChange={(event) =>
          onChange({ ...extract, item_selector: event.currentTarget.value || null })
        }
      />
      <Input.Wrapper
        label="Fields"
        description="A name and a selector: h1, a.more@href"
        labelElement="div"
      >
        <Stack gap="xs" mt={4}>
          {rows.map((row, index) => (
            <Group key={row.key} gap="xs" wrap="nowrap">
              <TextInput
                w={130}
                aria-label={`Name of field ${index + 1}`}
                placeholder="title"
                value={row.name}
                error={isSecond(rows, row) ? 'There is one of this name' : undefined}
                onChange={(event) =>
                  change(replace(rows, row, { name: event.currentTarget.value }))
                }
              />
              <TextInput
                flex={1}
                aria-label={`Selector of field ${index + 1}`}
                placeholder="h1"
                value={row.rule}
                onChange={(event) =>
                  change(replace(rows, row, { rule: event.currentTarget.value }))
                }
              />
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Remove field ${index + 1}`}
                onClick={() => change(rows.filter((each) => each !== row))}
              >
                {icons.trash}
              </ActionIcon>
            </Group>
          ))}
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            leftSection={icons.plus}
            onClick={() =>
              setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '', rule: '' }])
            }
          >
            Field
          </Button>
        </Stack>
      </Input.Wrapper>
    </Stack>
  )
}

function replace(rows: readonly Row[], row: Row, change: Partial<Row>): Row[] {
  return rows.map((each) => (each === row ? { ...row, ...change } : each))
}

/** Of two fields with one name only one is collected. */
function isSecond(rows: readonly Row[], { name, key }: Row): boolean {
  return name !== '' && rows.some((each) => each.name === name && each.key < key)
}

function toRows(fields: Readonly<Record<string, unknown>>): Row[] {
  return Object.entries(fields).map(([name, rule], key) => ({ key, name, rule: toText(rule) }))
}

/** The short form where nothing else is said. */
function toText(rule: unknown): string {
  if (typeof rule === 'string') return rule
  const { selector, attr, ...rest } = (rule ?? {}) as Record<string, unknown>
  const isUsual = Object.entries(rest).every(
    ([name, value]) => value === null || value === false || (name === 'type' && value === 'string'),
  )
  if (!isUsual || typeof selector !== 'string') return JSON.stringify(rule)
  return attr ? `${selector}@${String(attr)}` : selector
}

function toRule(text: string): unknown {
  if (!text.startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
