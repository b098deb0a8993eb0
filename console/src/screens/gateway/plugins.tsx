import { Accordion, Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pathQuery } from '../../api/lists.ts'
import { type Schema, SchemaForm } from '../../parts/schema-form.tsx'
import { ADMIN } from './records.ts'

type Configurations = Readonly<Record<string, Readonly<Record<string, unknown>>>>

interface Props {
  /** Consumers have settings of their own for plugins that say who calls. */
  readonly isConsumer: boolean
  readonly value: Configurations
  onChange(value: Configurations): void
}

/** Plugins with forms made from their schemas. */
export function Plugins({ isConsumer, value, onChange }: Props) {
  const { data: names = [] } = useQuery(pathQuery<readonly string[]>(`${ADMIN}/plugins/list`))
  const [open, setOpen] = useState<string | null>(null)
  const free = names.filter((name) => !(name in value))
  return (
    <Stack gap="sm">
      <Title order={2}>Plugins</Title>
      <Select
        label="Add a plugin"
        placeholder="Choose one"
        searchable
        data={[...free].sort()}
        value={null}
        onChange={(name) => {
          if (!name) return
          onChange({ ...value, [name]: {} })
          setOpen(name)
        }}
      />
      {Object.keys(value).length === 0 && (
        <Text size="sm" c="dimmed">
          Requests pass as they are.
        </Text>
      )}
      <Accordion variant="separated" value={open} onChange={setOpen}>
        {Object.entries(value).map(([name, configuration]) => (
          <Accordion.Item key={name} value={name}>
            <Accordion.Control>{name}</Accordion.Control>
            <Accordion.Panel>
              <PluginForm
                name={name}
                isConsumer={isConsumer}
                value={configuration}
                onChange={(next) => onChange({ ...value, [name]: next })}
              />
              <Group justify="flex-end" mt="sm">
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => {
                    const { [name]: _, ...rest } = value
                    onChange(rest)
                  }}
                >
                  Remove {name}
                </Button>
              </Group>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}

function PluginForm({
  name,
  isConsumer,
  value,
  onChange,
}: {
  name: string
  isConsumer: boolean
  value: Readonly<Record<string, unknown>>
  onChange(value: Readonly<Record<string, unknown>>): void
}) {
  const query = isConsumer ? { schema_type: 'consumer' } : {}
  const { data } = useQuery(pathQuery<Schema>(`${ADMIN}/schema/plugins/${name}`, query))
  if (!data) return <Text size="sm">…</Text>
  return <SchemaForm schema={data} value={value} onChange={onChange} />
}
