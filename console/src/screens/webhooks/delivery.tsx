import { Badge, Button, Code, Grid, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo, useParam } from '../../location.ts'
import { BAD } from '../../parts/colours.ts'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { type Attempt, type ShownDelivery, useSubscriptionPath } from './records.ts'
import { DeliveryState } from './state.tsx'

/** One delivery: what was sent beside what came back, try by try. */
export default function DeliveryScreen() {
  const go = useGo()
  const { path: subscription, query, screen } = useSubscriptionPath()
  const path = `${subscription}/deliveries/${useParam('delivery')}`
  const { data, error } = useQuery({
    ...pathQuery<ShownDelivery>(path, query),
    refetchInterval: 2_000,
  })
  const [number, setNumber] = useState<string | null>(null)
  const resend = useMutation({
    mutationFn: () => send(`${path}/resend`, { method: 'POST', query }),
    onSuccess: async () => {
      setNumber(null)
      await queryClient.invalidateQueries({ queryKey: [path] })
      tellDone('It is sent again')
    },
    onError: tellFault,
  })
  if (error && !data) return <ScreenFault error={error} />
  const delivery = data
  if (!delivery) return <Page title="Delivery">…</Page>
  const attempts = delivery.attempts
  const current = number ?? String(attempts.at(-1)?.number ?? '')
  const attempt = attempts.find((each) => String(each.number) === current)
  return (
    <Page
      title={delivery.event_type}
      note={
        <Group gap="xs">
          <DeliveryState status={delivery.status} />
          <When at={delivery.created_at} />
          {delivery.next_attempt_at && delivery.status === 'pending' && (
            <span>
              next try <When at={delivery.next_attempt_at} relative />
            </span>
          )}
        </Group>
      }
      actions={
        <>
          <Button variant="default" leftSection={icons.left} onClick={() => go(screen())}>
            All deliveries
          </Button>
          <Button loading={resend.isPending} onClick={() => resend.mutate()}>
            Send again
          </Button>
        </>
      }
    >
      {attempts.length > 1 && (
        <Tabs value={current} onChange={setNumber} mb="md">
          <Tabs.List aria-label="Tries">
            {attempts.map((each) => (
              <Tabs.Tab key={each.number} value={String(each.number)}>
                Try {each.number}: {each.response_status ?? 'no answer'}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Sent attempt={attempt} payload={delivery.payload} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Answered attempt={attempt} />
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function Sent({ attempt, payload }: { attempt: Attempt | undefined; payload: unknown }) {
  return (
    <Paper withBorder p="md" h="100%">
      <Stack gap="sm">
        <Title order={2}>Request</Title>
        {attempt && (
          <Text size="sm" className="wrap-anywhere">
            POST {attempt.url}
          </Text>
        )}
        {attempt && <Headers of={attempt.request_headers} />}
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {JSON.stringify(payload, null, 2)}
        </Code>
      </Stack>
    </Paper>
  )
}

function Answered({ attempt }: { attempt: Attempt | undefined }) {
  return (
    <Paper withBorder p="md" h="100%">
      <Stack gap="sm">
        <Title order={2}>Answer</Title>
        {!attempt && <Text size="sm">Nothing was sent yet.</Text>}
        {attempt && (
          <>
            <Group gap="xs">
              <Badge
                tt="none"
                color={isGood(attempt) ? 'teal' : 'red'}
                miw="max-content"
                variant="dot"
              >
                {attempt.response_status ?? 'no answer'}
              </Badge>
              <Text size="sm" c="dimmed">
                {attempt.duration_ms ?? '–'} ms, {attempt.trigger}
              </Text>
            </Group>
            {attempt.error && (
              <Text size="sm" c={BAD}>
                {attempt.error.message}
              </Text>
            )}
            {attempt.response_headers && <Headers of={attempt.response_headers} />}
            {attempt.response_body !== null && attempt.response_body !== '' && (
              <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {attempt.response_body}
                {attempt.response_truncated ? ' …' : ''}
              </Code>
            )}
          </>
        )}
      </Stack>
    </Paper>
  )
}

function Headers({ of }: { of: Readonly<Record<string, unknown>> }) {
  return (
    <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {Object.entries(of)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join('\n')}
    </Code>
  )
}

function isGood({ response_status: status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300
}
