import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listQuery, pathQuery } from '../../api/lists.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { countOf } from '../../parts/words.ts'
import { cronWords } from './cron-words.ts'
import { SCRAPERS, type Scraper, type Status } from './records.ts'
import { RunState } from './run-state.tsx'

const COLUMNS: readonly Column<Scraper>[] = [
  { key: 'name', title: 'Name', sort: 'name', render: ({ name }) => name },
  { key: 'url', title: 'Begins at', render: ({ url }) => url },
  {
    key: 'schedule',
    title: 'Runs',
    render: ({ schedule, timezone }) => cronWords(schedule, timezone),
  },
  { key: 'next', title: 'Next', render: ({ next_run_at }) => <When at={next_run_at} relative /> },
  { key: 'last', title: 'Last run', render: ({ id }) => <Last id={id} /> },
]

export default function Scrapers() {
  const go = useGo()
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const { data, error } = useQuery(listQuery<Scraper>(SCRAPERS, { page, per_page: 20 }))
  const make = (
    <Button leftSection={icons.plus} onClick={() => go('/scrapers/new/edit')}>
      New scraper
    </Button>
  )
  if (error && !data) return <ScreenFault error={error} />
  return (
    <Page title="Scrapers" note="Collect content from other sites, politely." actions={make}>
      {data?.data.length === 0 ? (
        <Empty title="No scrapers yet" action={make}>
          A scraper reads pages by rules, by hand or by schedule, and can write what it found as
          entries.
        </Empty>
      ) : (
        <>
          <DataTable
            label="Scrapers"
            rows={data?.data}
            columns={COLUMNS}
            rowKey={({ id }) => String(id)}
            open={({ id }) => go(`/scrapers/${id}`)}
          />
          <PageNumbers
            page={page}
            meta={data?.meta}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
    </Page>
  )
}

function Last({ id }: { id: number }) {
  const { data } = useQuery({
    ...pathQuery<Status>(`${SCRAPERS}/${id}/status`),
    refetchInterval: 5_000,
  })
  if (!data) return '…'
  if (data.run_id === null) return 'never'
  return (
    <>
      <RunState status={data.status} /> {countOf(data.items_count)} items,{' '}
      <When at={data.last_run} relative />
    </>
  )
}
