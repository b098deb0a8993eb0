import { Button, Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listQuery } from '../../api/lists.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { countOf, moneyOf } from '../../parts/words.ts'
import { TABS } from './records.ts'

interface Bill {
  readonly user_id: number
  readonly user: string | null
  readonly currency: string
  readonly keys: number
  readonly requests: number
  readonly total: number
}

const INVOICES = '/api/v1/usage/invoices'
const COLUMNS: readonly Column<Bill>[] = [
  { key: 'user', title: 'User', render: ({ user, user_id }) => user ?? `deleted, #${user_id}` },
  { key: 'keys', title: 'Keys', align: 'right', render: ({ keys }) => countOf(keys) },
  { key: 'requests', title: 'Requests', align: 'right', render: (row) => countOf(row.requests) },
  {
    key: 'total',
    title: 'Owes',
    align: 'right',
    render: ({ total, currency }) => moneyOf(total, currency),
  },
]

/** What everybody owes for a month, as a table and as a file for a spreadsheet. */
export default function Invoices() {
  const [search, setSearch] = useSearchText()
  const month = search['month'] ?? new Date().toISOString().slice(0, 7)
  const { data, error } = useQuery(listQuery<Bill>(INVOICES, { month }))
  const isEstimated = data?.meta['estimated'] === true
  return (
    <Page
      title="Invoices"
      note={isEstimated ? 'The month is not over: these are estimates.' : 'The month is over.'}
      actions={
        <Button
          variant="default"
          component="a"
          href={`${INVOICES}?month=${month}&format=csv`}
          leftSection={icons.download}
        >
          CSV
        </Button>
      }
    >
      <AreaTabs label="Sell" tabs={TABS} />
      <Group mb="sm">
        <TextInput
          type="month"
          label="Month"
          value={month}
          max={new Date().toISOString().slice(0, 7)}
          onChange={(event) => setSearch({ month: event.currentTarget.value })}
        />
      </Group>
      {error && <ScreenFault error={error} />}
      {data?.data.length === 0 ? (
        <Empty title="Nobody owes anything">
          In this month no key had a plan. Make plans and issue keys to sell what you publish.
        </Empty>
      ) : (
        !error && (
          <DataTable
            label="Invoices"
            rows={data?.data}
            columns={COLUMNS}
            rowKey={(row) => `${row.user_id} ${row.currency}`}
          />
        )
      )}
    </Page>
  )
}
