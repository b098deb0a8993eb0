import { ActionIcon, Button, Group, Input, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { icons } from '../../parts/icons.tsx'

interface Props {
  readonly nodes: unknown
  onChange(nodes: Readonly<Record<string, number>>): void
}

interface Row {
  readonly key: number
  readonly name: string
  readonly weight: number
}

/** Where an upstream sends requests: addresses with their weights. */
export function Nodes({ nodes, onChange }: Props) {
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(nodes))

  function change(next: readonly Row[]) {
    setRows(next)
    const given = next.filter(({ name }) => name !== '')
    onChange(Object.fromEntries(given.map(({ name, weight }) => [name, weight])))
  }

  return (
    <Input.Wrapper
      label="Nodes"
      description="host:port, and how large its share is"
      labelElement="div"
    >
      <Stack gap="xs" mt={4}>
        {rows.map((row, index) => (
          <Group key={row.key} gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={`Address of node ${index + 1}`}
              placeholder="127.0.0.1:8080"
              value={row.name}
              onChange={(event) => change(replace(rows, row, { name: event.currentTarget.value }))}
            />
            <NumberInput
              w={90}
              min={0}
              aria-label={`Weight of node ${index + 1}`}
              value={row.weight}
              onChange={(weight) => change(replace(rows, row, { weight: Number(weight) }))}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Remove node ${index + 1}`}
              onClick={() => change(rows.filter((each) => each !== row))}
            >
              {icons.trash}
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="xs"
          variant="default"
          leftSection={icons.plus}
          w="fit-content"
          onClick={() =>
            change([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '', weight: 1 }])
          }
        >
          Node
        </Button>
      </Stack>
    </Input.Wrapper>
  )
}

function replace(rows: readonly Row[], row: Row, change: Partial<Row>): Row[] {
  return rows.map((each) => (each === row ? { ...row, ...change } : each))
}

function toRows(nodes: unknown): Row[] {
  const pairs: [string, number][] = Array.isArray(nodes)
    ? nodes.map(({ host, port, weight }) => [`${host}:${port}`, Number(weight)])
    : Object.entries(nodes ?? {}).map(([name, weight]) => [name, Number(weight)])
  return pairs.map(([name, weight], key) => ({ key, name, weight }))
}
