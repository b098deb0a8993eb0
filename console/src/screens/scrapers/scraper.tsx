import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { listQuery, pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { pageIn, useGo, useParam, useSearchText } from '../../location.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { countOf } from '../../parts/words.ts'
import { cronWords } from './cron-words.ts'
import { LIVE, type Run, SCRAPERS, type Scraper } from './records.ts'
import { RunState } from './run-state.tsx'

const COLUMNS: readonly Column<Run>[] = [
  { key: 'id', title: 'Run', render: ({ id }) => `#${id}` },
  { key: 'status', title: 'State', render: ({ status }) => <RunState status={status} /> },
  { key: 'trigger', title: 'Started by', render: ({ trigger }) => trigger },
  { key: 'pages', title: 'Pages', align: 'right', render: (run) => countOf(run.pages_fetched) },
  { key: 'items', title: 'Items', align: 'right', render: (run) => countOf(run.items_collected) },
  { key: 'changes', title: 'Against the one before', render: ({ changes }) => changesOf(changes) },
  { key: 'at', title: 'When', render: ({ started_at }) => <When at={started_at} relative /> },
]

/** One scraper with its runs. */
export default function ScraperScreen() {
  const go = useGo()
  const id = useParam('id')
  const path = `${SCRAPERS}/${id}`
  const [search, setSearch] = useSearchText()
  const [asked, setAsked] = useState<Asked | null>(null)
  const page = pageIn(search)
  const { data: scraper, error } = useQuery(pathQuery<Scraper>(path))
  const runs = useQuery({
    ...listQuery<Run>(`${path}/runs`, { page, per_page: 20 }),
    refetchInterval: 3_000,
  })
  const start = useMutation({
    mutationFn: () => send<{ run_id?: number; id?: number }>(`${path}/run`, { method: 'POST' }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [`${path}/runs`] })
      const { body } = await send<{ run_id: number | null }>(`${path}/status`)
      if (body.run_id !== null) go(`/scrapers/${id}/runs/${body.run_id}`)
    },
    onError: tellFault,
  })
  if (error && !scraper) return <ScreenFault error={error} />
  const live = runs.data?.data.find(({ status }) => LIVE.has(status))
  return (
    <Page
      title={scraper?.name ?? 'Scraper'}
      note={scraper && `${scraper.url} · ${cronWords(scraper.schedule, scraper.timezone)}`}
      actions={
        <>
          <Button variant="default" leftSection={icons.left} onClick={() => go('/scrapers')}>
            All
          </Button>
          <Button variant="default" onClick={() => go(`/scrapers/${id}/edit`)}>
            Change
          </Button>
          <Button
            variant="default"
            onClick={() =>
              setAsked({
                title: `Delete ${scraper?.name ?? 'the scraper'}?`,
                message: 'Its runs and what they collected go with it. Published entries stay.',
                button: 'Delete',
                name: scraper?.name ?? '',
                run: async () => {
                  await send(path, { method: 'DELETE' })
                  await queryClient.invalidateQueries({ queryKey: [SCRAPERS] })
                  go('/scrapers')
                },
              })
            }
          >
            Delete
          </Button>
          <Button loading={start.isPending} disabled={!!live} onClick={() => start.mutate()}>
            Run now
          </Button>
        </>
      }
    >
      {scraper?.next_run_at && (
        <Text size="sm" mb="sm" component="div">
          Next run <When at={scraper.next_run_at} relative />
        </Text>
      )}
      {runs.data?.data.length === 0 ? (
        <Empty title="It has not run yet">Run it to see what it collects.</Empty>
      ) : (
        <>
          <DataTable
            label="Runs"
            rows={runs.data?.data}
            columns={COLUMNS}
            rowKey={(run) => String(run.id)}
            open={(run) => go(`/scrapers/${id}/runs/${run.id}`)}
          />
          <PageNumbers
            page={page}
            meta={runs.data?.meta}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

export function changesOf(changes: Run['changes']): string {
  if (!changes) return '–'
  const told = Object.entries(changes).filter(([, count]) => count > 0)
  return told.length === 0 ? 'nothing' : told.map(([name, count]) => `${count} ${name}`).join(', ')
}
