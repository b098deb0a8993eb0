import { Badge, Button, Code, Grid, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { pathQuery, recordQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { pageIn, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { Person } from '../../parts/person.tsx'
import { RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { ADMIN, TABS } from './records.ts'

interface Write {
  readonly revision: number
  readonly at: string
  readonly by: number | string
  readonly key: string
  readonly before: object | null
  readonly after: object | null
}

const SIZE = 50
const COLUMNS: readonly Column<Write>[] = [
  { key: 'revision', title: 'Revision', align: 'right', render: ({ revision }) => revision },
  { key: 'what', title: 'What', render: (write) => <What write={write} /> },
  { key: 'key', title: 'Object', render: ({ key }) => key.replace('/gateway/', '') },
  { key: 'by', title: 'By', render: ({ by }) => <Writer by={by} /> },
  { key: 'at', title: 'When', render: ({ at }) => <When at={at} relative /> },
]

/** A write may change several objects. */
function idOf({ revision, key }: Write): string {
  return `${revision} ${key}`
}

/** What was written, by whom, and the way back. */
export default function History() {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const { data, error } = useQuery(
    pathQuery<{ total: number; list: readonly Write[] }>(`${ADMIN}/history`, {
      page,
      page_size: SIZE,
    }),
  )
  const [asked, setAsked] = useState<Asked | null>(null)
  if (error && !data) return <ScreenFault error={error} />
  const open = (write: string | undefined) => setSearch({ write })

  function askToRollBack({ revision }: Write) {
    open(undefined)
    setAsked({
      title: `Go back to before revision ${revision}?`,
      message:
        'The whole configuration is made what it was before this write, as one new write. It holds from the next request on.',
      button: 'Go back',
      run: async () => {
        await send(`${ADMIN}/rollback`, { method: 'POST', body: { revision: revision - 1 } })
        await queryClient.invalidateQueries()
        tellDone('The configuration is as it was')
      },
    })
  }

  return (
    <Page title="History" note="Every write to the configuration, the newest first.">
      <AreaTabs label="Gateway" tabs={TABS} />
      {data?.total === 0 ? (
        <Empty title="Nothing was written yet">
          Each change of a route, an upstream or any other object is listed here with what it was
          before, and the whole configuration can be made what it was then.
        </Empty>
      ) : (
        <DataTable
          label="History"
          rows={data?.list}
          columns={COLUMNS}
          rowKey={idOf}
          open={(write) => open(idOf(write))}
        />
      )}
      <PageNumbers
        page={page}
        meta={data && { total: data.total, per_page: SIZE }}
        onGo={(to) => setSearch({ page: String(to) })}
      />
      <RecordDialog
        name="write"
        size="xl"
        rows={data?.list}
        idOf={idOf}
        load={async () => {
          throw new Error('It is on another page by now.')
        }}
        titleOf={({ revision }) => `Revision ${revision}`}
      >
        {(shown) => (
          <>
            <Grid>
              <Side title="Before" value={shown.before} className="was" />
              <Side title="After" value={shown.after} className="is" />
            </Grid>
            <Group justify="flex-end" mt="md">
              <Button variant="default" onClick={() => askToRollBack(shown)}>
                Go back to before this
              </Button>
            </Group>
          </>
        )}
      </RecordDialog>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

function Side({
  title,
  value,
  className,
}: {
  title: string
  value: object | null
  className: string
}) {
  return (
    <Grid.Col span={{ base: 12, sm: 6 }}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Code
        block
        className={className}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {value ? JSON.stringify(value, null, 2) : 'nothing'}
      </Code>
    </Grid.Col>
  )
}

/** Who wrote without being asked: `by` of the API is one of these, the number of a key, or `user:` with that of a person. */
const OTHERS: Readonly<Record<string, string>> = {
  static: 'the admin key',
  ttl: 'its own end',
  guard: 'the guard',
  confirm_within: 'nobody confirmed',
}

function Writer({ by }: Pick<Write, 'by'>) {
  const userId = typeof by === 'string' ? /^user:(\d+)$/.exec(by)?.[1] : undefined
  const key = useQuery({
    ...recordQuery<{ name: string | null; key_prefix: string | null }>(`/api/v1/keys/${by}`),
    enabled: typeof by === 'number',
    retry: false,
  })
  if (userId !== undefined) return <Person id={Number(userId)} />
  if (typeof by !== 'number') return OTHERS[by] ?? by
  const { name, key_prefix } = key.data?.data ?? { name: null, key_prefix: null }
  return `key “${name ?? key_prefix ?? by}”`
}

function What({ write: { before, after } }: { write: Write }) {
  const [color, word] = before
    ? after
      ? ['blue', 'changed']
      : ['red', 'deleted']
    : ['teal', 'made']
  return (
    <Badge miw="max-content" variant="dot" color={color ?? 'gray'} tt="none">
      {word}
    </Badge>
  )
}
