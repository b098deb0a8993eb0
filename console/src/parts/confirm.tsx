import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { messageOf } from '../api/errors.ts'

export interface Asked {
  readonly title: string
  /** What goes. */
  readonly message: ReactNode
  readonly button: string
  /** To be typed when what is done cannot be undone. */
  readonly name?: string
  run(): Promise<unknown>
}

interface Props {
  /** Null: nothing is asked. */
  readonly asked: Asked | null
  onClose(): void
}

/** Asks before what destroys; stays open, with the reason, when it was refused. */
export function Confirm({ asked, onClose }: Props) {
  return (
    <Modal opened={asked !== null} onClose={onClose} title={asked?.title ?? ''} centered>
      {asked && <Question asked={asked} onClose={onClose} />}
    </Modal>
  )
}

function Question({ asked, onClose }: { asked: Asked; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState('')
  const [isRunning, setRunning] = useState(false)
  const mayRun = asked.name === undefined || plain(typed) === plain(asked.name)

  async function run(event: FormEvent) {
    event.preventDefault()
    // Asked from a form, this would send that form as well.
    event.stopPropagation()
    if (!mayRun) return
    setRunning(true)
    try {
      await asked.run()
      onClose()
    } catch (error) {
      setFault(messageOf(error))
      setRunning(false)
    }
  }

  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <Text size="sm" component="div" className="wrap-anywhere">
          {asked.message}
        </Text>
        {asked.name !== undefined && (
          <TextInput
            label={`Type ${asked.name} to go on`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
            autoComplete="off"
          />
        )}
        {fault !== '' && (
          <Text c="red" size="sm" role="alert">
            {fault}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" disabled={!mayRun} loading={isRunning}>
            {asked.button}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** As it is seen: line breaks cannot be typed here, and several spaces look like one. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
