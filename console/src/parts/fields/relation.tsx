import { ActionIcon, Anchor, Combobox, Group, InputBase, Stack, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { typesQuery } from '../../api/content.ts'
import { Excerpt, findLinkable, type Linked, linkedOf, withLinked } from '../../api/references.ts'
import { icons } from '../icons.tsx'
import { type FieldProps, wrapperOf } from './field.ts'

const WAIT_MS = 200

/** Entries of another type, found by what people call them; twenty are offered at a time. */
export function RelationField(props: FieldProps) {
  const { attribute, value, name } = props
  const linked = linkedOf(value)
  const onChange = (next: readonly Linked[]) => props.onChange(withLinked(value, next))
  const isMany = attribute.relation === 'oneToMany' || attribute.relation === 'manyToMany'
  const { data: types = [] } = useQuery(typesQuery)
  const target = types.find(({ singularName, uid }) =>
    [singularName, uid].includes(attribute.target ?? ''),
  )
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text, WAIT_MS)
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { data: offered = [], isFetching } = useQuery({
    queryKey: ['linkable', target?.uid, asked],
    queryFn: () => (target ? findLinkable(target, asked) : []),
    enabled: target !== undefined && combobox.dropdownOpened,
  })
  const others = offered.filter(({ id }) => !linked.some((each) => each.id === id))

  function choose(id: string) {
    const found = offered.find((each) => String(each.id) === id)
    if (found) onChange(isMany ? [...linked, found] : [found])
    setText('')
    combobox.closeDropdown()
  }

  return (
    <Stack gap={4}>
      <Combobox store={combobox} onOptionSubmit={choose}>
        <Combobox.Target>
          <InputBase
            {...wrapperOf(props)}
            required={false}
            description={`${isMany ? 'Entries' : 'One entry'} of ${target?.displayName ?? attribute.target}${
              value instanceof Excerpt ? '; the first are shown, the others stay' : ''
            }`}
            placeholder="Search to add"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              combobox.openDropdown()
            }}
            onClick={() => combobox.openDropdown()}
            onFocus={() => combobox.openDropdown()}
            onBlur={() => combobox.closeDropdown()}
          />
        </Combobox.Target>
        <Combobox.Dropdown>
          <Combobox.Options mah={260} style={{ overflowY: 'auto' }}>
            {others.map(({ id, label }) => (
              <Combobox.Option key={id} value={String(id)} dir="auto">
                {label}
              </Combobox.Option>
            ))}
            {others.length === 0 && (
              <Combobox.Empty>{isFetching ? 'Looking …' : 'Nothing else to add'}</Combobox.Empty>
            )}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {linked.map((each, index) => (
        <Group key={each.id} gap={4} wrap="nowrap" justify="space-between">
          <Anchor
            href={`/console/content/${target?.pluralName}/${each.id}`}
            size="sm"
            dir="auto"
            truncate
          >
            {each.label}
          </Anchor>
          <Group gap={0} wrap="nowrap">
            {isMany && index > 0 && (
              <ActionIcon
                variant="subtle"
                aria-label={`Move ${each.label} up in ${name}`}
                onClick={() => onChange(moveUp(linked, index))}
              >
                {icons.up}
              </ActionIcon>
            )}
            <ActionIcon
              variant="subtle"
              aria-label={`Remove ${each.label} from ${name}`}
              onClick={() => onChange(linked.filter(({ id }) => id !== each.id))}
            >
              {icons.close}
            </ActionIcon>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}

function moveUp(linked: readonly Linked[], index: number): Linked[] {
  const before = linked[index - 1]
  const own = linked[index]
  if (!before || !own) return [...linked]
  return linked.with(index - 1, own).with(index, before)
}
