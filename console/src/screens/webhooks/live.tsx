import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useEvents } from '../../api/event-source.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { When } from '../../parts/when.tsx'
import { eventTypesQuery, TABS } from './records.ts'

interface Message {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: unknown
}

const MOST = 100

/** The stream of events as it comes, the newest first. */
export default function Live() {
  const types = useQuery(eventTypesQuery)
  const [messages, setMessages] = useState<readonly Message[]>([])
  const [isPaused, setPaused] = useState(false)
  const names = types.data?.map(({ name }) => name) ?? []
  const isOpen = names.length > 0 && !isPaused
  useEvents(isOpen ? '/webhooks/stream' : null, names, (_name, data) =>
    setMessages((before) => [JSON.parse(data), ...before].slice(0, MOST)),
  )
  return (
    <Page
      title="Live"
      note="Events as they happen, of what you may see."
      actions={
        <>
          <Button variant="default" onClick={() => setMessages([])}>
            Clear
          </Button>
          <Button variant="default" onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        </>
      }
    >
      <AreaTabs label="Webhooks" tabs={TABS} />
      <Stack gap="xs" role="log" aria-label="Events">
        {messages.length === 0 && (
          <Empty title={isPaused ? 'Paused' : 'Waiting for the first event'}>
            Change an entry, and it is told here within a second. Receivers get the same, signed.
          </Empty>
        )}
        {messages.map((message) => (
          <Paper key={message.id} withBorder p="xs">
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600}>
                {message.type}
              </Text>
              <Text size="xs" c="dimmed" component="div">
                <When at={message.timestamp} />
              </Text>
            </Group>
            <Code block fz="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {JSON.stringify(message.data)}
            </Code>
          </Paper>
        ))}
      </Stack>
    </Page>
  )
}
