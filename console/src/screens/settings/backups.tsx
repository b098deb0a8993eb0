import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { countOf, sizeOf } from '../../parts/words.ts'
import { TABS } from './tabs.ts'

interface Backup {
  readonly name: string
  readonly bytes: number
  readonly created_at: string
}

const BACKUPS = '/api/v1/overview/backups'

/** Everything in one file, made now or by schedule. */
export default function Backups() {
  const [asked, setAsked] = useState<Asked | null>(null)
  const { data, error } = useQuery({ ...listQuery<Backup>(BACKUPS), refetchInterval: 2_000 })
  const refresh = () => queryClient.invalidateQueries({ queryKey: [BACKUPS] })
  const make = useMutation({
    mutationFn: () => send(BACKUPS, { method: 'POST' }),
    onSuccess: refresh,
    onError: tellFault,
  })
  if (error && !data) return <ScreenFault error={error} />
  const isRunning = data?.meta['running_since'] != null
  const missing = Number(data?.meta['missing_files'] ?? 0)
  const columns: readonly Column<Backup>[] = [
    { key: 'name', title: 'File', render: ({ name }) => name },
    { key: 'at', title: 'Made', render: ({ created_at }) => <When at={created_at} relative /> },
    { key: 'size', title: 'Size', align: 'right', render: ({ bytes }) => sizeOf(bytes) },
    {
      key: 'do',
      title: '',
      align: 'right',
      render: ({ name }) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            component="a"
            href={`${BACKUPS}/${name}`}
            leftSection={icons.download}
          >
            Download
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              setAsked({
                title: 'Delete this backup?',
                message: `${name} is removed from the server and cannot be brought back.`,
                button: 'Delete',
                run: async () => {
                  await send(`${BACKUPS}/${name}`, { method: 'DELETE' })
                  await refresh()
                },
              })
            }
          >
            Delete
          </Button>
        </Group>
      ),
    },
  ]
  const button = (
    <Button loading={isRunning || make.isPending} onClick={() => make.mutate()}>
      Make a backup
    </Button>
  )
  return (
    <Page
      title="Backups"
      note="Everything but the master key, in one file that entrepot restore takes."
      actions={button}
    >
      <AreaTabs label="Settings" tabs={TABS} />
      {data?.meta['failed_at'] != null && (
        <Alert color="red" mb="sm" title="The last backup could not be made">
          The log says why; older backups are kept.
        </Alert>
      )}
      {missing > 0 && (
        <Alert color="yellow" mb="sm" title={`The last backup lacks ${countOf(missing)} files`}>
          Their bytes are neither in the database nor on this machine. Start the node that has them
          in its directory, then make another backup.
        </Alert>
      )}
      {isRunning && (
        <Text size="sm" mb="sm" role="status">
          A backup is being made. You can leave this page.
        </Text>
      )}
      {data?.data.length === 0 ? (
        <Empty title="No backups yet" action={button}>
          Set backup.schedule to have them made by themselves.
        </Empty>
      ) : (
        <DataTable
          label="Backups"
          rows={data?.data}
          columns={columns}
          rowKey={({ name }) => name}
        />
      )}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}
