import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { icons } from '../../parts/icons.tsx'
import { NumberField } from '../../parts/number-field.tsx'

interface Props {
  readonly nodes: unknown
  onChange(nodes: unknown): void
}

interface Row {
  readonly key: number
  readonly name: string
  /** Null: it is being typed, and the server refuses it. */
  readonly weight: number | null
  /** Of a node in a list: its priority and the like, which stay. */
  readonly more: object
}

/** Where an upstream sends requests: addresses with their weights. */
export function Nodes({ nodes, onChange }: Props) {
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(nodes))

  function change(next: readonly Row[]) {
    setRows(next)
    const given = next.filter(({ name }) => name !== '')
    onChange(
      Array.isArray(nodes)
        ? given.map(toNode)
        : Object.fromEntries(given.map(({ name, weight }) => [name, weight])),
    )
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
            <NumberField
              w={90}
              min={0}
              aria-label={`Weight of node ${index + 1}`}
              value={row.weight}
              onChange={(weight) => change(replace(rows, row, { weight }))}
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
            change([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '', weight: 1, more: {} }])
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
  if (Array.isArray(nodes)) {
    return nodes.map(({ host, port, weight, ...more }, key) => {
      const name = port === undefined ? String(host) : `${host}:${port}`
      return { key, name, weight: Number(weight), more }
    })
  }
  return Object.entries(nodes ?? {}).map(([name, weight], key) => {
    return { key, name, weight: Number(weight), more: {} }
  })
}

function toNode({ name, weight, more }: Row): object {
  const [, host = name, port] = /^(.*):(\d+)$/.exec(name) ?? []
  return { host, ...(port === undefined ? {} : { port: Number(port) }), weight, ...more }
}
