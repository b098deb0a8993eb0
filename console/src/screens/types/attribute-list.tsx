import { ActionIcon, Badge, Button, Group, SimpleGrid, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Attribute, Attributes } from '../../api/content.ts'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { AttributeDialog, type EditedAttribute } from './attribute-dialog.tsx'
import { kindOf } from './kinds.ts'

interface Props {
  readonly attributes: Attributes
  /** Those the server has, with values to keep. */
  readonly stored: Attributes
  onChange(attributes: Attributes): void
}

/** The attributes of a type or component, in the order in which forms show them. */
export function AttributeList({ attributes, stored, onChange }: Props) {
  const [edited, setEdited] = useState<EditedAttribute | 'new'>()
  const entries = Object.entries(attributes)

  function take({ name, attribute }: EditedAttribute) {
    setEdited(undefined)
    if (!edited || edited === 'new') return onChange({ ...attributes, [name]: attribute })
    const { name: old } = edited
    // A new name keeps the values of the old one, whatever it was called in between.
    const from = edited.attribute.renamedFrom ?? (Object.hasOwn(stored, old) ? old : name)
    const { renamedFrom: _, ...given } = attribute
    const renamed = from === name ? given : { ...given, renamedFrom: from }
    onChange(
      Object.fromEntries(
        entries.map(([each, own]) =>
          each === old ? [name, renamed] : [each, madeFrom(own, old, name)],
        ),
      ),
    )
  }

  function move(from: number, to: number) {
    const entry = entries[from]
    if (entry) onChange(Object.fromEntries(entries.toSpliced(from, 1).toSpliced(to, 0, entry)))
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
            {entries.map(([name, attribute], place) => (
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
                <Table.Td w={160}>
                  <Group gap={0} wrap="nowrap" justify="flex-end">
                    <ActionIcon
                      variant="subtle"
                      aria-label={`Move ${name} up`}
                      disabled={place === 0}
                      onClick={() => move(place, place - 1)}
                    >
                      {icons.up}
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      aria-label={`Move ${name} down`}
                      disabled={place === entries.length - 1}
                      onClick={() => move(place, place + 1)}
                    >
                      {icons.down}
                    </ActionIcon>
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

/** An address goes on being made from a field that is called otherwise. */
function madeFrom(attribute: Attribute, old: string, name: string): Attribute {
  return attribute.targetField === old ? { ...attribute, targetField: name } : attribute
}
