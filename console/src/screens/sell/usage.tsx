import { Group, NativeSelect, Paper, SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listQuery, recordQuery } from '../../api/lists.ts'
import type { Figures } from '../../api/usage-stream.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { Bars } from '../../parts/bars.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { countOf } from '../../parts/words.ts'
import { TABS } from './records.ts'

interface Used {
  readonly requests: number
  readonly errors: number
  readonly rejected: number
  readonly avgResponseMs: number
}
type Point = Used & { readonly at: string }
type Share = Used & { readonly id: number; readonly name: string | null }
type Endpoint = Used & {
  readonly endpoint: string
  readonly method: string
  readonly p95ResponseMs: number
}

const DAY_MS = 86_400_000
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const BY = [
  { value: 'key', label: 'by key' },
  { value: 'user', label: 'by user' },
  { value: 'plan', label: 'by plan' },
  { value: 'endpoint', label: 'by endpoint' },
]

/** What all keys used, over time and by whom. */
export default function Usage() {
  const [search, setSearch] = useSearchText()
  const days = Number(search['days'] ?? 30)
  const by = search['by'] ?? 'key'
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const series = useQuery(
    listQuery<Point>('/api/v1/usage/series', { scope: 'all', interval: 'day', from }),
  )
  const figures = useQuery({
    ...recordQuery<Figures>('/api/v1/usage', { scope: 'all' }),
    refetchInterval: 2_000,
  })
  if (series.error) return <ScreenFault error={series.error} />
  const now = figures.data?.data
  const bars = (series.data?.data ?? []).map(({ at, requests, errors }) => ({
    label: DAY.format(new Date(at)),
    good: requests - errors,
    bad: errors,
  }))
  return (
    <Page title="Usage" note="Requests with a key, of all users.">
      <AreaTabs label="Sell" tabs={TABS} />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          <Figure label="Today" value={countOf(now?.today)} />
          <Figure label="This month" value={countOf(now?.month)} />
          <Figure label="Refused by limits today" value={countOf(now?.rejectedToday)} />
          <Figure label="Milliseconds each" value={countOf(now?.avgResponseMs)} />
        </SimpleGrid>
        <Paper withBorder p="md">
          <Group justify="space-between" mb="xs">
            <Title order={2}>Requests by day</Title>
            <NativeSelect
              size="xs"
              aria-label="Period"
              value={String(days)}
              data={[
                { value: '7', label: '7 days' },
                { value: '30', label: '30 days' },
                { value: '90', label: '90 days' },
              ]}
              onChange={(event) => setSearch({ days: event.currentTarget.value })}
            />
          </Group>
          <Bars label="Requests by day" bars={bars} names={{ good: 'requests', bad: 'errors' }} />
        </Paper>
        <Group justify="space-between">
          <Title order={2}>Who used it</Title>
          <NativeSelect
            size="xs"
            aria-label="Break down"
            value={by}
            data={BY}
            onChange={(event) => setSearch({ by: event.currentTarget.value })}
          />
        </Group>
        {by === 'endpoint' ? <Endpoints from={from} /> : <Shares by={by} from={from} />}
      </Stack>
    </Page>
  )
}

const BY_WORDS: Readonly<Record<string, string>> = { key: 'Key', user: 'User', plan: 'Plan' }

const USED: readonly Column<Used>[] = [
  { key: 'requests', title: 'Requests', align: 'right', render: (row) => countOf(row.requests) },
  { key: 'errors', title: 'Errors', align: 'right', render: (row) => countOf(row.errors) },
  { key: 'rejected', title: 'Refused', align: 'right', render: (row) => countOf(row.rejected) },
  {
    key: 'ms',
    title: 'Milliseconds each',
    align: 'right',
    render: (row) => countOf(row.avgResponseMs),
  },
]

function Shares({ by, from }: { by: string; from: string }) {
  const { data, error } = useQuery(listQuery<Share>('/api/v1/usage/breakdown', { by, from }))
  if (error) return <ScreenFault error={error} />
  const columns: readonly Column<Share>[] = [
    { key: 'name', title: BY_WORDS[by] ?? by, render: ({ name, id }) => name ?? `#${id}` },
    ...USED,
  ]
  return (
    <DataTable label="Usage" rows={data?.data} columns={columns} rowKey={({ id }) => String(id)} />
  )
}

function Endpoints({ from }: { from: string }) {
  const { data, error } = useQuery(
    listQuery<Endpoint>('/api/v1/usage/endpoints', { scope: 'all', from }),
  )
  if (error) return <ScreenFault error={error} />
  const columns: readonly Column<Endpoint>[] = [
    { key: 'endpoint', title: 'Endpoint', render: (row) => `${row.method} ${row.endpoint}` },
    ...USED,
    { key: 'p95', title: '95 % within ms', align: 'right', render: (row) => row.p95ResponseMs },
  ]
  return (
    <DataTable
      label="Usage by endpoint"
      rows={data?.data}
      columns={columns}
      rowKey={(row) => `${row.method} ${row.endpoint}`}
    />
  )
}
