import { Badge } from '@mantine/core'

const COLOURS: Readonly<Record<string, string>> = {
  running: 'blue',
  pending: 'blue',
  completed: 'teal',
  failed: 'red',
  stopped: 'yellow',
}

export function RunState({ status }: { status: string }) {
  return (
    <Badge miw="max-content" variant="dot" color={COLOURS[status] ?? 'gray'} tt="none">
      {status}
    </Badge>
  )
}
