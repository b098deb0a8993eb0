import {
  ActionIcon,
  Button,
  Collapse,
  Fieldset,
  Group,
  Menu,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ComponentType, componentsQuery } from '../../api/content.ts'
import { icons } from '../icons.tsx'
import { type FieldProps, wrapperOf } from './field.ts'
import { FieldList } from './field-list.tsx'
import { defaultsOf, KIND, newPart } from './part-values.ts'

type Part = Readonly<Record<string, unknown>>

/** One part, or a list of equal ones. */
export function ComponentField(props: FieldProps) {
  const { attribute, value, onChange } = props
  const kinds = [attribute.component ?? '']
  if (attribute.repeatable) return <PartList {...props} kinds={kinds} />
  const one = isPart(value) ? [value] : []
  return (
    <PartList
      {...props}
      kinds={kinds}
      value={one}
      most={1}
      onChange={(parts) => onChange(Array.isArray(parts) ? (parts[0] ?? null) : null)}
    />
  )
}

/** A list of parts of several kinds. */
export function ZoneField(props: FieldProps) {
  return <PartList {...props} kinds={props.attribute.components ?? []} isZone />
}

interface ListProps extends FieldProps {
  readonly kinds: readonly string[]
  readonly isZone?: boolean
  readonly most?: number
}

/** Blocks fold, move and are copied; each is a form of its own. */
function PartList(props: ListProps) {
  const { kinds, isZone = false, value, onChange, name, errors, most = props.attribute.max } = props
  const { data: components = [] } = useQuery(componentsQuery)
  const parts = Array.isArray(value) ? value.filter(isPart) : []
  const isSingle = props.most === 1
  const copyOf = (part: Part) => newPart(components, props.attribute, part)
  const set = (index: number, part: Part) => onChange(parts.with(index, part))
  const kindOf = (part: Part) =>
    components.find(({ uid }) => uid === (isZone ? part[KIND] : kinds[0]))
  const add = ({ uid, attributes }: ComponentType) =>
    onChange([...parts, { ...(isZone ? { [KIND]: uid } : {}), ...defaultsOf(attributes) }])

  function move(from: number, to: number) {
    const part = parts[from]
    if (part) onChange(parts.toSpliced(from, 1).toSpliced(to, 0, part))
  }

  return (
    <Fieldset legend={name} variant="default">
      <Stack gap="sm">
        {wrapperOf(props).error && (
          <Text c="red" size="sm">
            {wrapperOf(props).error}
          </Text>
        )}
        {parts.map((part, index) => (
          <Block
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no name of their own until they are saved
            key={index}
            kind={kindOf(part)}
            part={part}
            place={index}
            count={parts.length}
            errors={below(errors, isSingle ? '' : String(index))}
            onChange={(changed) => set(index, changed)}
            onRemove={() => onChange(parts.toSpliced(index, 1))}
            onCopy={
              isSingle ? undefined : () => onChange(parts.toSpliced(index + 1, 0, copyOf(part)))
            }
            onMove={(to) => move(index, to)}
          />
        ))}
        {(most === undefined || parts.length < most) && (
          <AddBlock
            kinds={components.filter(({ uid }) => kinds.includes(uid))}
            field={name}
            onAdd={add}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

interface BlockProps {
  readonly kind: ComponentType | undefined
  readonly part: Part
  readonly place: number
  readonly count: number
  readonly errors: Readonly<Record<string, string>>
  onChange(part: Part): void
  onRemove(): void
  readonly onCopy: (() => void) | undefined
  onMove(to: number): void
}

function Block({
  kind,
  part,
  place,
  count,
  errors,
  onChange,
  onRemove,
  onCopy,
  onMove,
}: BlockProps) {
  const [isOpen, setOpen] = useState(true)
  const title = kind?.displayName ?? 'Unknown part'
  return (
    <Fieldset p="sm">
      <Group justify="space-between" wrap="nowrap">
        <UnstyledButton onClick={() => setOpen(!isOpen)} aria-expanded={isOpen} fw={600} fz="sm">
          {count > 1 ? `${place + 1}. ` : ''}
          {title}
        </UnstyledButton>
        <Group gap={0} wrap="nowrap">
          {place > 0 && (
            <ActionIcon
              variant="subtle"
              aria-label={`Move ${title} up`}
              onClick={() => onMove(place - 1)}
            >
              {icons.up}
            </ActionIcon>
          )}
          {place < count - 1 && (
            <ActionIcon
              variant="subtle"
              aria-label={`Move ${title} down`}
              onClick={() => onMove(place + 1)}
            >
              {icons.down}
            </ActionIcon>
          )}
          {onCopy && (
            <ActionIcon variant="subtle" aria-label={`Copy ${title}`} onClick={onCopy}>
              {icons.copy}
            </ActionIcon>
          )}
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Remove ${title}`}
            onClick={onRemove}
          >
            {icons.trash}
          </ActionIcon>
        </Group>
      </Group>
      <Collapse expanded={isOpen}>
        {kind && (
          <FieldList
            attributes={kind.attributes}
            values={part}
            errors={errors}
            isNew={part['id'] === undefined}
            onChange={onChange}
          />
        )}
      </Collapse>
    </Fieldset>
  )
}

interface AddProps {
  readonly kinds: readonly ComponentType[]
  readonly field: string
  onAdd(kind: ComponentType): void
}

function AddBlock({ kinds, field, onAdd }: AddProps) {
  const [only] = kinds
  const label = `Add to ${field}`
  if (kinds.length === 1 && only) {
    return (
      <Button variant="default" size="xs" leftSection={icons.plus} onClick={() => onAdd(only)}>
        {label}
      </Button>
    )
  }
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={icons.plus}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.uid} onClick={() => onAdd(kind)}>
            {kind.displayName}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Faults by the path inside of one part. */
function below(errors: Readonly<Record<string, string>>, part: string): Record<string, string> {
  if (part === '') return { ...errors }
  const prefix = `${part}.`
  const own = Object.entries(errors).filter(([path]) => path.startsWith(prefix))
  return Object.fromEntries(own.map(([path, message]) => [path.slice(prefix.length), message]))
}
