import { Button, Group, Text } from '@mantine/core'
import { icons } from './icons.tsx'

interface Props {
  readonly page: number
  /** Of the list, as the API sends it. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  onGo(page: number): void
}

/** Pages by number, for lists that are counted; nothing where one page holds all. From behind the last one there is a way back. */
export function PageNumbers({ page, meta, onGo }: Props) {
  const total = Number(meta?.['total'] ?? 0)
  const perPage = Number(meta?.['per_page'] ?? total)
  const last = Math.max(1, Math.ceil(total / Math.max(1, perPage)))
  return (
    <Group justify="space-between" mt="xs">
      <Text size="sm" c="dimmed">
        {meta ? `${total} in all` : ''}
      </Text>
      {(last > 1 || page > 1) && (
        <Group gap="xs" component="nav" aria-label="Pages">
          <Button
            size="xs"
            variant="default"
            leftSection={icons.left}
            disabled={page <= 1}
            onClick={() => onGo(Math.min(page - 1, last))}
          >
            Previous
          </Button>
          <Text size="sm">
            {page} of {last}
          </Text>
          <Button
            size="xs"
            variant="default"
            rightSection={icons.right}
            disabled={page >= last}
            onClick={() => onGo(page + 1)}
          >
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
