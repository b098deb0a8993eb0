import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  Popover,
  Stack,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import type { ContentType } from '../../api/content.ts'
import { icons } from '../../parts/icons.tsx'
import { type Condition, filterFields, needsValue, operatorsOf, wordOf } from './conditions.ts'

interface Props {
  readonly type: ContentType
  readonly conditions: readonly Condition[]
  onChange(conditions: readonly Condition[]): void
}

/** What is filtered by, in words, and how to add to it: field, operator of its kind, value. */
export function FilterBar({ type, conditions, onChange }: Props) {
  const [isOpen, popover] = useDisclosure(false)
  const fields = filterFields(type)
  return (
    <Group gap={6}>
      {conditions.map((condition, index) => (
        <Button
          key={`${condition.field} ${condition.operator} ${condition.value}`}
          size="compact-sm"
          variant="default"
          rightSection={icons.close}
          onClick={() => onChange(conditions.filter((_each, at) => at !== index))}
        >
          <VisuallyHidden>Remove filter on {condition.field}:</VisuallyHidden>
          {condition.field} {wordOf(condition.operator, fields[condition.field])}{' '}
          {needsValue(condition.operator) && condition.value}
        </Button>
      ))}
      <Popover
        opened={isOpen}
        onChange={popover.toggle}
        withinPortal
        trapFocus
        position="bottom-start"
      >
        <Popover.Target>
          <Button size="xs" variant="default" leftSection={icons.filter} onClick={popover.toggle}>
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <NewCondition
            type={type}
            onAdd={(condition) => {
              onChange([...conditions, condition])
              popover.close()
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {conditions.length > 1 && (
        <ActionIcon variant="subtle" aria-label="Remove all filters" onClick={() => onChange([])}>
          {icons.close}
        </ActionIcon>
      )}
    </Group>
  )
}

function NewCondition({ type, onAdd }: { type: ContentType; onAdd(condition: Condition): void }) {
  const fields = filterFields(type)
  const [field, setField] = useState(type.displayField ?? Object.keys(fields)[0] ?? 'id')
  const attribute = fields[field] ?? { type: 'string' }
  const operators = operatorsOf(attribute)
  const [wanted, setOperator] = useState('')
  const [value, setValue] = useState('')
  const operator = operators.includes(wanted) ? wanted : (operators[0] ?? '$eq')
  const choices = attribute.type === 'boolean' ? ['true', 'false'] : attribute.enum
  const chosen = choices && !choices.includes(value) ? (choices[0] ?? '') : value

  function add(event: FormEvent) {
    event.preventDefault()
    onAdd({ field, operator, value: needsValue(operator) ? toWire(attribute.type, chosen) : '' })
  }

  return (
    <form onSubmit={add}>
      <Stack gap="xs" w={260}>
        <NativeSelect
          label="Field"
          value={field}
          data={Object.keys(fields)}
          onChange={(event) => setField(event.currentTarget.value)}
        />
        <NativeSelect
          label="Condition"
          value={operator}
          data={operators.map((each) => ({ value: each, label: wordOf(each, attribute) }))}
          onChange={(event) => setOperator(event.currentTarget.value)}
        />
        {needsValue(operator) &&
          (choices && operator !== '$in' ? (
            <NativeSelect
              label="Value"
              value={chosen}
              data={[...choices]}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          ) : (
            <TextInput
              label="Value"
              description={operator === '$in' ? 'Several, with commas between them' : undefined}
              type={inputTypeOf(attribute.type)}
              value={value}
              required
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          ))}
        <Button type="submit" size="xs">
          Add filter
        </Button>
      </Stack>
    </form>
  )
}

function inputTypeOf(kind: string): string {
  if (kind === 'datetime') return 'datetime-local'
  return kind === 'date' || kind === 'time' ? kind : 'text'
}

/** Times are typed in the person's zone and asked for in UTC. */
function toWire(kind: string, value: string): string {
  return kind === 'datetime' && value !== '' ? new Date(value).toISOString() : value
}
