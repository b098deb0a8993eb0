import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { listQuery, pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { BAD } from '../../parts/colours.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Figure } from '../../parts/figure.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { countOf } from '../../parts/words.ts'
import { type Delivery, type Stats, type Subscription, useSubscriptionPath } from './records.ts'
import { DeliveryState, SubscriptionState, successRate } from './state.tsx'
import { SubscriptionMenu } from './subscription-menu.tsx'

const COLUMNS: readonly Column<Delivery>[] = [
  {
    key: 'event',
    title: 'Event',
    render: ({ event_type, is_test }) => (is_test ? `${event_type} (test)` : event_type),
  },
  { key: 'status', title: 'State', render: ({ status }) => <DeliveryState status={status} /> },
  {
    key: 'answer',
    title: 'Answer',
    render: ({ last_status_code, last_error }) =>
      last_status_code ?? (
        <Text c={BAD} size="sm">
          {last_error?.message ?? '–'}
        </Text>
      ),
  },
  { key: 'tries', title: 'Tries', align: 'right', render: (row) => row.attempt_count },
  { key: 'at', title: 'When', render: ({ created_at }) => <When at={created_at} relative /> },
]

/** One subscription: how it does, and what was sent. */
export default function SubscriptionScreen() {
  const go = useGo()
  const [search, setSearch] = useSearchText()
  const { path, query: whose, screen } = useSubscriptionPath()
  const page = pageIn(search)
  const live = { refetchInterval: 3_000 }
  const one = useQuery({ ...pathQuery<Subscription>(path, whose), ...live })
  const stats = useQuery({ ...pathQuery<Stats>(`${path}/stats`, whose), ...live })
  const query = {
    ...{ ...whose, page, per_page: 50 },
    status: search['status'],
  }
  const list = useQuery({ ...listQuery<Delivery>(`${path}/deliveries`, query), ...live })
  const test = useMutation({
    mutationFn: () => send(`${path}/test`, { method: 'POST', query: whose, body: {} }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [`${path}/deliveries`] })
      tellDone('A test was sent')
    },
    onError: tellFault,
  })
  if (one.error && !one.data) return <ScreenFault error={one.error} />
  const subscription = one.data
  const rows = list.data?.data
  const figures = stats.data
  return (
    <Page
      title={subscription?.endpoint_url ?? 'Subscription'}
      note={subscription && <SubscriptionState one={subscription} />}
      actions={
        <>
          <Button variant="default" leftSection={icons.left} onClick={() => go('/webhooks')}>
            All
          </Button>
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
          {subscription && <SubscriptionMenu one={subscription} />}
        </>
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          {[...(subscription?.events ?? []), ...(subscription?.event_patterns ?? [])].join(', ')}
        </Text>
        <SimpleGrid cols={{ base: 2, sm: 5 }} spacing="sm">
          <Figure label="Succeeded" value={figures ? successRate(figures) : '…'} />
          <Figure label="Delivered" value={countOf(figures?.succeeded)} />
          <Figure
            label="Failed"
            value={countOf(figures?.failed)}
            isBad={(figures?.failed ?? 0) > 0}
          />
          <Figure label="Waiting" value={countOf(figures?.pending)} />
          <Figure label="95 % within ms" value={countOf(figures?.p95_ms)} />
        </SimpleGrid>
        <Group>
          <NativeSelect
            size="xs"
            aria-label="State"
            value={search['status'] ?? ''}
            data={[
              { value: '', label: 'all states' },
              ...['succeeded', 'failed', 'pending', 'held', 'cancelled'],
            ]}
            onChange={(event) =>
              setSearch({ status: event.currentTarget.value || undefined, page: undefined })
            }
          />
        </Group>
        {list.error && !list.data ? (
          <ScreenFault error={list.error} />
        ) : (
          <DataTable
            label="Deliveries"
            rows={rows}
            columns={COLUMNS}
            rowKey={(row) => row.id}
            open={(row) => go(screen(row.id))}
          />
        )}
        <PageNumbers
          page={page}
          meta={list.data?.meta}
          onGo={(to) => setSearch({ page: String(to) })}
        />
      </Stack>
    </Page>
  )
}
