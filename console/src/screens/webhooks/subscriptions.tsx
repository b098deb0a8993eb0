import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listQuery, pathQuery } from '../../api/lists.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { NewSubscription } from './new-subscription.tsx'
import { type Stats, SUBSCRIPTIONS, type Subscription, TABS } from './records.ts'
import { SubscriptionState, successRate } from './state.tsx'

const COLUMNS: readonly Column<Subscription>[] = [
  { key: 'url', title: 'Endpoint', render: ({ endpoint_url }) => endpoint_url },
  {
    key: 'events',
    title: 'Events',
    render: ({ events, event_patterns }) => [...events, ...event_patterns].join(', '),
  },
  { key: 'state', title: 'State', render: (one) => <SubscriptionState one={one} /> },
  { key: 'rate', title: 'Succeeded', align: 'right', render: ({ id }) => <Rate id={id} /> },
  {
    key: 'last',
    title: 'Last delivery',
    render: ({ last_delivery_at }) => <When at={last_delivery_at} relative />,
  },
]

export default function Subscriptions() {
  const go = useGo()
  const [search, setSearch] = useSearchText()
  const [isOpen, setOpen] = useState(false)
  const page = pageIn(search)
  const list = useQuery({
    ...listQuery<Subscription>(SUBSCRIPTIONS, { page, per_page: 20 }),
    refetchInterval: 5_000,
  })
  if (list.error && !list.data) return <ScreenFault error={list.error} />
  const make = (
    <Button leftSection={icons.plus} onClick={() => setOpen(true)}>
      New subscription
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      note="Whoever subscribes is told what happens, signed, until they answer."
      actions={make}
    >
      <AreaTabs label="Webhooks" tabs={TABS} />
      {list.data?.data.length === 0 && page === 1 ? (
        <Empty title="Nobody is told yet" action={make}>
          A subscription names an address and events. Each event is sent there as a signed request,
          again and again until it is taken.
        </Empty>
      ) : (
        <>
          <DataTable
            label="Subscriptions"
            rows={list.data?.data}
            columns={COLUMNS}
            rowKey={({ id }) => id}
            open={({ id }) => go(`/webhooks/${id}`)}
          />
          <PageNumbers
            page={page}
            meta={list.data?.meta}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="New subscription" size="lg">
        <NewSubscription />
      </Modal>
    </Page>
  )
}

function Rate({ id }: { id: string }) {
  const { data } = useQuery(pathQuery<Stats>(`${SUBSCRIPTIONS}/${id}/stats`))
  return data ? successRate(data) : '…'
}
