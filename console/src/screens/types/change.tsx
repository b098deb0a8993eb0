import { Alert, Button, Group, Modal, Stack, Table, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '../../api/errors.ts'

export interface Impact {
  readonly attribute: string | null
  readonly contentType?: string
  readonly component?: string
  readonly member?: string
  readonly action: 'add' | 'change' | 'remove'
  readonly entriesAffected: number
  readonly lossy: boolean
}

interface Props {
  readonly impacts: readonly Impact[]
  /** To be typed when stored values are lost. */
  readonly name: string
  readonly title: string
  onClose(): void
  run(): Promise<void>
}

const WORDS = { add: 'is added', change: 'changes', remove: 'is removed' } as const

/** What a change would do to how many entries, before it is made. */
export function ChangeDialog({ impacts, name, title, onClose, run }: Props) {
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState('')
  const [isRunning, setRunning] = useState(false)
  const isLossy = impacts.some(({ lossy }) => lossy)

  async function go() {
    setRunning(true)
    try {
      await run()
    } catch (error) {
      setFault(messageOf(error))
      setRunning(false)
    }
  }

  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack>
        {impacts.length === 0 ? (
          <Text size="sm">No value of any entry is touched by it.</Text>
        ) : (
          <Table aria-label="What changes">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th ta="right">Entries</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {impacts.map((impact) => (
                <Table.Tr
                  key={`${impact.attribute} ${impact.member} ${impact.action} ${impact.contentType}`}
                >
                  <Table.Td>
                    <b>{impact.attribute ?? impact.member ?? 'The type'}</b> {WORDS[impact.action]}
                    {impact.contentType ? ` in ${impact.contentType}` : ''}
                  </Table.Td>
                  <Table.Td ta="right">{impact.entriesAffected}</Table.Td>
                  <Table.Td>
                    {impact.lossy && (
                      <Text c="red" size="sm">
                        {impact.entriesAffected}{' '}
                        {impact.entriesAffected === 1 ? 'entry loses' : 'entries lose'} its value
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {isLossy && (
          <TextInput
            label={`Type ${name} to lose these values for good`}
            value={typed}
            data-autofocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {fault !== '' && (
          <Alert color="red" role="alert">
            {fault}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            color={isLossy ? 'red' : 'harbour'}
            disabled={isLossy && typed !== name}
            loading={isRunning}
            onClick={() => void go()}
          >
            {isLossy ? 'Lose them and go on' : 'Make the change'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
