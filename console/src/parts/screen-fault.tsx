import { Alert, Button, Stack } from '@mantine/core'
import { messageOf } from '../api/errors.ts'
import { icons } from './icons.tsx'

interface Props {
  readonly error: unknown
  readonly reset?: () => void
}

/** In place of a screen, or a part of one, that could not be shown; the rest goes on working. */
export function ScreenFault({ error, reset }: Props) {
  return (
    <Alert color="red" icon={icons.warning} title="This could not be shown" m="md">
      <Stack align="flex-start" gap="sm">
        {messageOf(error)}
        <Button size="xs" variant="default" onClick={reset ?? (() => location.reload())}>
          Try again
        </Button>
      </Stack>
    </Alert>
  )
}
