import { Badge, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Attribute, Entry } from '../../api/content.ts'
import { colourOf } from '../../parts/fields/colour.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { When } from '../../parts/when.tsx'

const LONGEST = 120

/** A value in one line of a table. Text is shown as text: markup in it is never rendered. */
export function renderCell(
  entry: Entry,
  name: string,
  attribute: Attribute | undefined,
): ReactNode {
  if (name === 'status') return <StatusBadge status={entry.status} />
  const value = attribute && isReference(attribute) ? entry[`${name}_id`] : entry[name]
  if (value === null || value === undefined || value === '') return <Text c="dimmed">–</Text>
  if (attribute ? attribute.type === 'datetime' : name.endsWith('_at'))
    return <When at={String(value)} relative />
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (attribute && isReference(attribute)) return `#${value}`
  if (attribute?.type === 'enumeration') {
    return (
      <Badge miw="max-content" variant="dot" color={colourOf(String(value))} tt="none">
        {String(value)}
      </Badge>
    )
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return value.join(', ')
  if (typeof value === 'object')
    return (
      <Text ff="monospace" fz="xs" span>
        {JSON.stringify(value).slice(0, LONGEST)}
      </Text>
    )
  return withoutTags(String(value), attribute).slice(0, LONGEST)
}

function isReference({ type, relation, multiple }: Attribute): boolean {
  return type === 'relation'
    ? relation === 'manyToOne' || relation === 'oneToOne'
    : type === 'media' && !multiple
}

function withoutTags(text: string, attribute: Attribute | undefined): string {
  return attribute?.type === 'richtext' ? text.replace(/<[^>]*>/g, ' ').trim() : text
}
