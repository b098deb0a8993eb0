import { Badge, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { pathQuery } from '../../api/lists.ts'
import { pageIn, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { moneyOf } from '../../parts/words.ts'
import type { Order } from './records.ts'
import { TABS } from './tabs.ts'

const ORDERS = '/rest/V1/orders'
const SIZE = 50
const COLUMNS: readonly Column<Order>[] = [
  { key: 'number', title: 'Order', render: ({ increment_id }) => increment_id },
  { key: 'who', title: 'Customer', render: ({ customer_email }) => customer_email ?? '–' },
  {
    key: 'status',
    title: 'State',
    render: ({ status }) => (
      <Badge miw="max-content" variant="dot" tt="none">
        {status}
      </Badge>
    ),
  },
  {
    key: 'total',
    title: 'Total',
    align: 'right',
    render: ({ grand_total, order_currency_code }) => moneyOf(grand_total, order_currency_code),
  },
  { key: 'at', title: 'When', render: (order) => <When at={timeOf(order)} relative /> },
]

export default function Orders() {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const { data, error } = useQuery(
    pathQuery<{ items: readonly Order[]; total_count: number }>(ORDERS, {
      'searchCriteria[pageSize]': SIZE,
      'searchCriteria[currentPage]': page,
      'searchCriteria[sortOrders][0][field]': 'entity_id',
      'searchCriteria[sortOrders][0][direction]': 'DESC',
    }),
  )
  const isOff = error instanceof ApiError && error.status === 404
  return (
    <Page title="Orders" note="Placed by shops at /rest/V1/orders.">
      <AreaTabs label="Products and orders" tabs={TABS} />
      {isOff || data?.items.length === 0 ? (
        <Empty title={isOff ? 'This server takes no orders' : 'No orders yet'}>
          {isOff
            ? `${messageOf(error)} Orders need commerce.enabled and the content type product.`
            : 'An order takes its items from stock in one step.'}
        </Empty>
      ) : error ? (
        <ScreenFault error={error} />
      ) : (
        <>
          <DataTable
            label="Orders"
            rows={data?.items}
            columns={COLUMNS}
            rowKey={({ entity_id }) => String(entity_id)}
            open={({ entity_id }) => setSearch({ order: String(entity_id) })}
          />
          <PageNumbers
            page={page}
            meta={data && { total: data.total_count, per_page: SIZE }}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
      <RecordDialog
        name="order"
        size="lg"
        rows={data?.items}
        idOf={({ entity_id }) => String(entity_id)}
        load={async (id) => (await send<Order>(`${ORDERS}/${encodeURIComponent(id)}`)).body}
        titleOf={({ increment_id }) => `Order ${increment_id}`}
      >
        {(order) => <Items order={order} />}
      </RecordDialog>
    </Page>
  )
}

function Items({ order }: { order: Order }) {
  const money = (amount: number) => moneyOf(amount, order.order_currency_code)
  return (
    <>
      <Text size="sm" mb="sm">
        {order.customer_email} · {order.status}
      </Text>
      <Table.ScrollContainer minWidth={400} type="native" tabIndex={0}>
        <Table aria-label="Items">
          <Table.Tbody>
            {order.items.map((item) => (
              <Table.Tr key={item.item_id}>
                <Table.Td>{item.sku}</Table.Td>
                <Table.Td>{item.name}</Table.Td>
                <Table.Td ta="right">{item.qty_ordered}</Table.Td>
                <Table.Td ta="right">{money(item.row_total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text fw={600} ta="right">
        {money(order.grand_total)}
      </Text>
    </>
  )
}

/** The dialect says `2026-01-31 12:00:00`, in UTC. */
function timeOf({ created_at }: Order): string {
  return created_at.includes('T') ? created_at : `${created_at.replace(' ', 'T')}Z`
}
