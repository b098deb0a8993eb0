import { Button, Group, Text } from '@mantine/core'
import { icons } from './icons.tsx'

interface Props {
  readonly previous: string | null | undefined
  readonly next: string | null | undefined
  /** The cursor of the page to show. */
  onGo(cursor: string): void
  readonly note?: string
}

/** Pages by cursor: they cost the same however deep one goes, and nothing is shown twice. */
export function Pager({ previous, next, onGo, note }: Props) {
  return (
    <Group justify="space-between" mt="xs">
      <Text size="sm" c="dimmed">
        {note}
      </Text>
      <Group gap="xs" component="nav" aria-label="Pages">
        <Button
          size="xs"
          variant="default"
          leftSection={icons.left}
          disabled={!previous}
          onClick={() => previous && onGo(previous)}
        >
          Previous
        </Button>
        <Button
          size="xs"
          variant="default"
          rightSection={icons.right}
          disabled={!next}
          onClick={() => next && onGo(next)}
        >
          Next
        </Button>
      </Group>
    </Group>
  )
}
