import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyText } from '../../parts/copy-text.tsx'

interface Props {
  readonly number: number
  readonly title: string
  readonly note: string
  readonly isDone: boolean
  /** The same by the API. */
  readonly command: string
  readonly children: ReactNode
}

export function Step({ number, title, note, isDone, command, children }: Props) {
  return (
    <Paper withBorder p="lg" radius="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>
            {number}. {title}
          </Title>
          {isDone && (
            <Badge color="teal" variant="dot" tt="none">
              done
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {note}
        </Text>
        {children}
        <CopyText text={command} label="Copy command" />
      </Stack>
    </Paper>
  )
}

/** A command as people paste it, with the address of this server. */
export function curl(
  path: string,
  { key = '$ENTREPOT_KEY', body }: { key?: string; body?: object },
): string {
  const lines = [`curl "${location.origin}${path}"`, `  -H "X-API-Key: ${key}"`]
  if (body) {
    const text = JSON.stringify(body).replaceAll("'", "'\\''")
    lines.push('  -H "Content-Type: application/json"', `  -d '${text}'`)
  }
  return lines.join(' \\\n')
}
