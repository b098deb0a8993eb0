import { ActionIcon, Badge, Button, Group, SimpleGrid, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Attribute, Attributes } from '../../api/content.ts'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { AttributeDialog, type EditedAttribute } from './attribute-dialog.tsx'
import { kindOf } from './kinds.ts'

interface Props {
  readonly attributes: Attributes
  onChange(attributes: Attributes): void
}

/** The attributes of a type or component, in the order in which forms show them. */
export function AttributeList({ attributes, onChange }: Props) {
  const [edited, setEdited] = useState<EditedAttribute | 'new'>()
  const entries = Object.entries(attributes)

  function take({ name, attribute }: EditedAttribute) {
    const old = edited === 'new' ? undefined : edited?.name
    setEdited(undefined)
    if (old === undefined) return onChange({ ...attributes, [name]: attribute })
    // A new name keeps the values of the old one.
    const from = attribute.renamedFrom ?? old
    const renamed = name === old ? attribute : { ...attribute, renamedFrom: from }
    onChange(
      Object.fromEntries(
        entries.map(([each, own]) => (each === old ? [name, renamed] : [each, own])),
      ),
    )
  }

  return (
    <>
      {entries.length === 0 ? (
        <Empty title="No attributes yet">
          Each becomes a field of the form and a member of every answer.
        </Empty>
      ) : (
        <Table aria-label="Attributes">
          <Table.Tbody>
            {entries.map(([name, attribute]) => (
              <Table.Tr key={name}>
                {/* Below each other on a phone, so that what can be done stays in sight. */}
                <Table.Td>
                  <SimpleGrid cols={{ base: 1, sm: 3 }} spacing={2}>
                    <Text size="sm" fw={600} className="wrap-anywhere">
                      {name}
                    </Text>
                    <span>{kindOf(attribute.type).label}</span>
                    <Marks attribute={attribute} />
                  </SimpleGrid>
                </Table.Td>
                <Table.Td w={100}>
                  <Group gap={0} wrap="nowrap" justify="flex-end">
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      aria-label={`Edit ${name}`}
                      onClick={() => setEdited({ name, attribute })}
                    >
                      Edit
                    </Button>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={`Remove ${name}`}
                      onClick={() =>
                        onChange(Object.fromEntries(entries.filter(([each]) => each !== name)))
                      }
                    >
                      {icons.trash}
                    </ActionIcon>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Button mt="sm" variant="default" leftSection={icons.plus} onClick={() => setEdited('new')}>
        Add an attribute
      </Button>
      {edited && (
        <AttributeDialog
          edited={edited === 'new' ? undefined : edited}
          others={attributes}
          onClose={() => setEdited(undefined)}
          onDone={take}
        />
      )}
    </>
  )
}

function Marks({ attribute }: { attribute: Attribute }) {
  const { required, unique, private: isPrivate, target, renamedFrom } = attribute
  return (
    <Group gap={4}>
      {required && (
        <Badge variant="light" tt="none">
          required
        </Badge>
      )}
      {unique && (
        <Badge variant="light" tt="none">
          unique
        </Badge>
      )}
      {isPrivate && (
        <Badge variant="light" color="gray" tt="none">
          private
        </Badge>
      )}
      {target && (
        <Text size="sm" c="dimmed">
          to {target}
        </Text>
      )}
      {renamedFrom && (
        <Text size="sm" c="dimmed">
          was {renamedFrom}
        </Text>
      )}
    </Group>
  )
}
