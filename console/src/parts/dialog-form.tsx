import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { messageOf } from '../api/errors.ts'
import { BAD } from './colours.ts'

interface Props {
  readonly send: { mutate(): void; readonly error: Error | null; readonly isPending: boolean }
  readonly button: string
  readonly isReady?: boolean
  /** Other things to do, at the left of the button. */
  readonly beside?: ReactNode
  readonly children: ReactNode
}

/** The fields of a dialog, what is wrong as a whole, and the button that sends them. */
export function DialogForm({ send, button, isReady = true, beside, children }: Props) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate()
      }}
    >
      <Stack gap="sm">
        {children}
        {send.error && (
          <Text c={BAD} size="sm" role="alert">
            {messageOf(send.error)}
          </Text>
        )}
        <Group justify="space-between">
          <Group gap="xs">{beside}</Group>
          <Button type="submit" loading={send.isPending} disabled={!isReady}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
