import { Grid, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bars } from '../../parts/bars.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { countOf, sizeOf } from '../../parts/words.ts'
import { LatestChanges, Nodes, Runs, Troubles } from './lists.tsx'
import { type Overview, overviewQuery } from './overview.ts'

const EVERY_MS = 5_000
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** How the server is, at one look; every number leads to where it comes from. */
export default function Home() {
  const { data, error } = useQuery({ ...overviewQuery, refetchInterval: EVERY_MS })
  if (error) return <ScreenFault error={error} />
  if (!data)
    return (
      <Page title="Home">
        <Skeleton height={320} />
      </Page>
    )
  const overview = data.data
  return (
    <Page title="Home" note={`Entrepot ${overview.version} on ${databaseOf(overview)}`}>
      <Stack gap="md">
        <Figures overview={overview} />
        <Troubles overview={overview} />
        <Traffic overview={overview} />
        <Grid>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <LatestChanges overview={overview} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="md">
              <Runs overview={overview} />
              <Nodes overview={overview} />
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </Page>
  )
}

function Figures({ overview }: { overview: Overview }) {
  const { nodes, storage, requests, failing_webhooks, failing_upstreams } = overview
  const sum = (of: (point: Overview['requests'][number]) => number) =>
    requests.reduce((total, point) => total + of(point), 0)
  const errors = sum((point) => point.errors + point.gateway_errors)
  const memory = nodes.reduce((total, node) => total + node.memory_bytes, 0)
  const threads = nodes.reduce((total, node) => total + node.threads, 0)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      <Figure
        label="Requests in 24 hours"
        value={countOf(sum((point) => point.requests + point.gateway_requests))}
        note={`${countOf(sum((point) => point.gateway_requests))} through the gateway`}
        to="/sell/usage"
      />
      <Figure
        label="Errors in 24 hours"
        value={countOf(errors)}
        isBad={errors > 0}
        to="/settings/log?level=error"
      />
      <Figure
        label="Failing webhooks"
        value={countOf(failing_webhooks.total)}
        isBad={failing_webhooks.total > 0}
        to="/webhooks"
      />
      <Figure
        label="Failing upstreams"
        value={countOf(failing_upstreams.length)}
        isBad={failing_upstreams.length > 0}
        to="/gateway/upstreams"
      />
      <Figure
        label="Storage"
        value={sizeOf(storage.total_bytes)}
        note={`${sizeOf(storage.free_bytes)} free`}
        to="/settings/backups"
      />
      <Figure
        label={nodes.length === 1 ? 'Memory' : `Memory of ${nodes.length} nodes`}
        value={sizeOf(memory)}
        note={`${threads} threads`}
      />
    </SimpleGrid>
  )
}

function Traffic({ overview }: { overview: Overview }) {
  const bars = overview.requests.map((point) => {
    const bad = point.errors + point.gateway_errors
    const label = TIME.format(new Date(point.at))
    return { label, bad, good: point.requests + point.gateway_requests - bad }
  })
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        Requests of the last day
      </Title>
      <Bars
        label="Requests of the last day"
        bars={bars}
        names={{ good: 'requests', bad: 'errors' }}
      />
      <Text size="xs" c="dimmed" mt={4}>
        In quarters of an hour, of the API and the gateway, with a key or without. Errors are
        answers from 500 on.
      </Text>
    </Paper>
  )
}

function databaseOf({ database }: Overview): string {
  return database === 'postgres' ? 'PostgreSQL' : 'SQLite'
}
