import { Button, Code, Group, NativeSelect, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { typesQuery } from '../../api/content.ts'
import { useEvents } from '../../api/event-source.ts'
import { listQuery, pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { pageIn, useGo, useParam, useSearchText } from '../../location.ts'
import { BAD } from '../../parts/colours.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Figure } from '../../parts/figure.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { countOf } from '../../parts/words.ts'
import { LIVE, type Run, SCRAPERS } from './records.ts'
import { RunState } from './run-state.tsx'
import { changesOf } from './scraper.tsx'

interface Line {
  readonly key: string
  readonly text: string
}

const MOST_LINES = 300

/** One run: progress and log while it goes on, results and what changed against the one before. */
export default function RunScreen() {
  const go = useGo()
  const id = useParam('id')
  const path = `${SCRAPERS}/${id}/runs/${useParam('run')}`
  const [progress, setProgress] = useState<Partial<Run>>({})
  const [lines, setLines] = useState<readonly Line[]>([])
  const { data, error } = useQuery(pathQuery<Run>(path))
  useEvents(
    `${path}/events`,
    ['progress', 'log', 'done'],
    (name, text) => {
      const told = JSON.parse(text)
      if (name === 'log') {
        const line = `${told.level} ${told.message} ${told.url ?? ''}`
        setLines((before) =>
          [...before, { key: `${before.length} ${line}`, text: line }].slice(-MOST_LINES),
        )
        return
      }
      setProgress(told)
      if (name !== 'done') return
      // A run may make the type of its entries.
      for (const each of [path, `${path}/results`, 'content-model'])
        void queryClient.invalidateQueries({ queryKey: [each] })
    },
    { last: 'done' },
  )
  const stop = useMutation({
    mutationFn: () => send(`${SCRAPERS}/${id}/stop`, { method: 'POST' }),
    onError: tellFault,
  })
  if (error && !data) return <ScreenFault error={error} />
  const run = data && { ...data, ...progress }
  return (
    <Page
      title={`Run ${run?.id ?? ''}`}
      note={run && <RunState status={run.status} />}
      actions={
        <>
          <Button variant="default" leftSection={icons.left} onClick={() => go(`/scrapers/${id}`)}>
            All runs
          </Button>
          {run && LIVE.has(run.status) && (
            <Button color="red" loading={stop.isPending} onClick={() => stop.mutate()}>
              Stop
            </Button>
          )}
        </>
      }
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          <Figure label="Pages" value={countOf(run?.pages_fetched)} />
          <Figure label="Waiting" value={countOf(run?.pages_queued)} />
          <Figure
            label="Failed"
            value={countOf(run?.pages_failed)}
            isBad={(run?.pages_failed ?? 0) > 0}
          />
          <Figure
            label="Items"
            value={countOf(run?.items_collected)}
            note={changesOf(run?.changes ?? null)}
          />
        </SimpleGrid>
        {run?.error && (
          <Text c={BAD} size="sm">
            {run.error.message}
          </Text>
        )}
        <Tabs defaultValue="results">
          <Tabs.List aria-label="Of this run">
            <Tabs.Tab value="results">Results</Tabs.Tab>
            <Tabs.Tab value="log">Log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="results" pt="md">
            <Results path={path} isLive={!!run && LIVE.has(run.status)} />
          </Tabs.Panel>
          <Tabs.Panel value="log" pt="md">
            <Code
              block
              fz="xs"
              role="log"
              style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            >
              {lines.length === 0
                ? 'Nothing was said yet.'
                : lines.map(({ text }) => text).join('\n')}
            </Code>
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  )
}

interface Item {
  readonly id: number
  readonly url: string
  readonly change: string | null
  /** What was made of it. */
  readonly entry: { readonly type: string; readonly documentId: string } | null
  readonly data: Readonly<Record<string, unknown>>
}

function Results({ path, isLive }: { path: string; isLive: boolean }) {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const { data, error } = useQuery({
    ...listQuery<Item>(`${path}/results`, { page, per_page: 20, change: search['change'] }),
    refetchInterval: isLive ? 2_000 : false,
  })
  const go = useGo()
  const { data: types = [] } = useQuery(typesQuery)
  if (error) return <ScreenFault error={error} />
  const hasEntries = data?.data.some(({ entry }) => entry) ?? false
  const openEntry = ({ entry }: Item) => {
    const type = types.find(({ singularName }) => singularName === entry?.type)
    if (type && entry) go(`/content/${type.pluralName}/${entry.documentId}`)
  }
  const names = [...new Set(data?.data.flatMap((item) => Object.keys(item.data ?? {})) ?? [])]
  const columns: readonly Column<Item>[] = [
    { key: 'change', title: 'Change', render: ({ change }) => change ?? '–' },
    ...names.slice(0, 6).map((name) => ({
      key: name,
      title: name,
      render: ({ data: values }: Item) => textOf(values?.[name]),
    })),
    { key: 'url', title: 'Page', render: ({ url }) => url },
    ...(hasEntries
      ? [{ key: 'entry', title: 'Entry', render: ({ entry }: Item) => entry?.type ?? '–' }]
      : []),
  ]
  return (
    <>
      <Group justify="space-between" mb="sm">
        <NativeSelect
          size="xs"
          aria-label="Compared with the run before"
          value={search['change'] ?? ''}
          data={[
            { value: '', label: 'all items' },
            { value: 'new', label: 'new since the run before' },
            { value: 'changed', label: 'changed' },
            { value: 'unchanged', label: 'unchanged' },
            { value: 'missing', label: 'missing' },
          ]}
          onChange={(event) =>
            setSearch({ change: event.currentTarget.value || undefined, page: undefined })
          }
        />
        <Group gap="xs">
          {['csv', 'ndjson'].map((format) => (
            <Button
              key={format}
              size="xs"
              variant="default"
              component="a"
              href={`${path}/results?format=${format}`}
              leftSection={icons.download}
            >
              {format.toUpperCase()}
            </Button>
          ))}
        </Group>
      </Group>
      <DataTable
        label="Results"
        rows={data?.data}
        columns={columns}
        rowKey={(item) => String(item.id)}
        {...(hasEntries ? { open: openEntry } : {})}
      />
      <PageNumbers page={page} meta={data?.meta} onGo={(to) => setSearch({ page: String(to) })} />
    </>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value.slice(0, 120) : JSON.stringify(value).slice(0, 120)
}
