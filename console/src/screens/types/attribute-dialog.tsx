import { Button, Checkbox, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Attribute, Attributes } from '../../api/content.ts'
import { AttributeOption } from './attribute-option.tsx'
import { KINDS, kindOf } from './kinds.ts'

export interface EditedAttribute {
  readonly name: string
  readonly attribute: Attribute
}

interface Props {
  /** Undefined: a new one. */
  readonly edited: EditedAttribute | undefined
  readonly others: Attributes
  onClose(): void
  onDone(attribute: EditedAttribute): void
}

const FLAGS = [
  { name: 'required', label: 'Required to publish' },
  { name: 'private', label: 'Private: no answer shows it' },
  { name: 'localized', label: 'Its own value in each language', isDefault: true },
  { name: 'searchable', label: 'Found by search', isDefault: true },
] as const

/** One attribute: kind, name, and the options of its kind. */
export function AttributeDialog({ edited, others, onClose, onDone }: Props) {
  const [name, setName] = useState(edited?.name ?? '')
  const [attribute, setAttribute] = useState<Attribute>(edited?.attribute ?? { type: 'string' })
  const kind = kindOf(attribute.type)
  const isTaken = name !== edited?.name && Object.hasOwn(others, name)

  function done(event: FormEvent) {
    event.preventDefault()
    if (!isTaken) onDone({ name, attribute })
  }

  function setType(type: string) {
    const { required, private: isPrivate, localized, searchable } = attribute
    const kept = { required, private: isPrivate, localized, searchable }
    const given = Object.entries(kept).filter(([, value]) => value !== undefined)
    setAttribute({ type, ...Object.fromEntries(given) })
  }

  const set = (option: string, value: unknown) => {
    const { [option as keyof Attribute]: _old, ...rest } = attribute
    setAttribute(
      value === undefined ? (rest as Attribute) : ({ ...rest, [option]: value } as Attribute),
    )
  }

  return (
    <Modal opened onClose={onClose} title={edited ? `Attribute ${edited.name}` : 'New attribute'}>
      <form onSubmit={done}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            data-autofocus
            required
            value={name}
            error={isTaken ? 'There is one of this name' : undefined}
            onChange={(event) => setName(event.currentTarget.value.trim())}
          />
          <NativeSelect
            label="Kind"
            description={kind.note}
            value={attribute.type}
            data={KINDS.map(({ type, label }) => ({ value: type, label }))}
            onChange={(event) => setType(event.currentTarget.value)}
          />
          {kind.options.map((option) => (
            <AttributeOption
              key={option}
              option={option}
              attribute={attribute}
              others={others}
              onChange={(value) => set(option, value)}
            />
          ))}
          {FLAGS.map((flag) => {
            const standard = 'isDefault' in flag
            return (
              <Checkbox
                key={flag.name}
                label={flag.label}
                checked={attribute[flag.name] ?? standard}
                onChange={({ currentTarget: { checked } }) =>
                  set(flag.name, checked === standard ? undefined : checked)
                }
              />
            )
          })}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Done</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
