import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { RefObject } from 'react'

interface Props {
  readonly isBlocking: boolean
  /** Set right before leaving on purpose: what is blocked is decided before the next rendering. */
  readonly mayLeave: RefObject<boolean>
}

/** Leaving with unsaved changes asks, also when the tab is closed. */
export function LeaveGuard({ isBlocking, mayLeave }: Props) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isBlocking && !mayLeave.current,
    enableBeforeUnload: isBlocking,
    withResolver: true,
  })
  // Not there before it asks: the Escape that closes a dialog around it would answer the question as well.
  if (status !== 'blocked') return null
  return (
    <Modal opened onClose={() => reset?.()} title="Leave without saving?" centered>
      <Text size="sm" mb="md">
        What you have changed on this screen is not saved.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => reset?.()} data-autofocus>
          Stay
        </Button>
        <Button color="red" onClick={() => proceed?.()}>
          Leave
        </Button>
      </Group>
    </Modal>
  )
}
