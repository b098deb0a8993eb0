import { Badge } from '@mantine/core'

const COLOURS: Readonly<Record<string, string>> = {
  published: 'teal',
  changed: 'yellow',
  draft: 'gray',
}

/** `published`, `changed` since then, or never published. */
export function StatusBadge({ status }: { status: string | undefined }) {
  if (!status) return null
  return (
    <Badge miw="max-content" variant="dot" color={COLOURS[status] ?? 'gray'} tt="none">
      {status}
    </Badge>
  )
}
