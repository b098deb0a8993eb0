import { Button, Group, Modal, Radio, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ContentType, LoadedEntry } from '../../api/content.ts'
import { loadWhole } from './entry.tsx'
import { changesOf, describe, type Model, toForm, type Values } from './form-values.ts'

interface Props {
  readonly opened: boolean
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
  readonly before: Values
  readonly mine: Values
  readonly changed: readonly string[]
  onClose(): void
  /** The values to go on with, and the version they stand on. */
  onChosen(values: Values, theirs: Values, current: LoadedEntry): void
}

/** Somebody else saved meanwhile: both versions side by side, chosen field by field. Nothing is lost by closing. */
export function Conflict(props: Props) {
  const { opened, onClose, model, type, id, locale, before, mine, changed, onChosen } = props
  const [theirs, setTheirs] = useState<readonly string[]>([])
  const { data } = useQuery({
    queryKey: ['conflict', type.uid, id, locale],
    queryFn: () => loadWhole(model, type, id, locale),
    enabled: opened,
    staleTime: 0,
    gcTime: 0,
  })
  const current = data && toForm(model, type.attributes, data.entry)
  const changedThere = current
    ? Object.keys(changesOf(model, type.attributes, before, current))
    : []
  const disputed = changed.filter((name) => changedThere.includes(name))

  function choose() {
    if (!current || !data) return
    const own = changed.filter((name) => !theirs.includes(name)).map((name) => [name, mine[name]])
    onChosen({ ...current, ...Object.fromEntries(own) }, current, data)
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Somebody else has saved this entry" size="xl">
      <Stack>
        <Text size="sm">{adviceFor(changed, disputed)}</Text>
        {current && (
          <Text size="sm" className="wrap-anywhere">
            {changedThere.length === 0
              ? 'What it says is the same; its state or its times are others.'
              : `Changed there: ${changedThere.join(', ')}.`}
          </Text>
        )}
        {current && disputed.length > 0 && (
          <Table layout="fixed" aria-label="Both versions">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={120}>Field</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Theirs</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {disputed.map((name) => (
                <Table.Tr key={name}>
                  <Table.Td fw={600}>{name}</Table.Td>
                  {[false, true].map((isTheirs) => (
                    <Table.Td key={String(isTheirs)} className="wrap-anywhere" dir="auto">
                      <Radio
                        name={`conflict-${name}`}
                        label={describe(isTheirs ? current[name] : mine[name])}
                        checked={theirs.includes(name) === isTheirs}
                        onChange={() =>
                          setTheirs(
                            isTheirs ? [...theirs, name] : theirs.filter((each) => each !== name),
                          )
                        }
                      />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
          <Button onClick={choose} disabled={!current}>
            Go on with this
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function adviceFor(changed: readonly string[], disputed: readonly string[]): string {
  if (changed.length === 0)
    return 'Nothing was done: go on with theirs, look at it, then do it again.'
  if (disputed.length > 0)
    return 'These fields were changed by both. Choose which text stays; then save again.'
  return 'Nobody changed the fields that you changed: yours can be put on top of theirs.'
}
