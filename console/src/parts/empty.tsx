import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  /** What the thing is for. */
  readonly children: ReactNode
  /** How to make the first one. */
  readonly action?: ReactNode
}

export function Empty({ title, children, action }: Props) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="xs" maw={460} mx="auto" ta="center">
        <Title order={2}>{title}</Title>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
