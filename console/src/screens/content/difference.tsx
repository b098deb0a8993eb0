import { Table, Text } from '@mantine/core'
import type { ContentType } from '../../api/content.ts'
import { changesOf, describe, type Model, type Values } from './form-values.ts'

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly was: Values
  readonly is: Values
  readonly titles: readonly [string, string]
}

/** What differs between two versions, field by field. */
export function Difference({ model, type, was, is, titles }: Props) {
  const changed = Object.keys(changesOf(model, type.attributes, was, is))
  if (changed.length === 0) return <Text c="dimmed">Both say the same.</Text>
  return (
    <Table.ScrollContainer minWidth={520} type="native" tabIndex={0}>
      <Table layout="fixed" aria-label="Differences">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={140}>Field</Table.Th>
            <Table.Th>{titles[0]}</Table.Th>
            <Table.Th>{titles[1]}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changed.map((name) => (
            <Table.Tr key={name}>
              <Table.Td fw={600}>{name}</Table.Td>
              <Table.Td className="was wrap-anywhere" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
                {describe(was[name])}
              </Table.Td>
              <Table.Td className="is wrap-anywhere" dir="auto" style={{ whiteSpace: 'pre-wrap' }}>
                {describe(is[name])}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
