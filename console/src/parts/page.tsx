import { Box, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface Props {
  readonly title: string
  readonly note?: ReactNode
  /** Buttons at the right; on a phone below the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** What every screen stands in: its title, which the browser's tab shows too, and its actions. */
export function Page({ title, note, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Entrepot`
  }, [title])
  return (
    <Box p={{ base: 'sm', sm: 'lg' }} maw={1600}>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Box miw={0}>
          <Title order={1} className="wrap-anywhere" dir="auto">
            {title}
          </Title>
          {note !== undefined && (
            <Text c="dimmed" size="sm" component="div" className="wrap-anywhere">
              {note}
            </Text>
          )}
        </Box>
        {actions !== undefined && (
          <Group gap="xs" maw="100%">
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Box>
  )
}
