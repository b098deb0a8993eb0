import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pathQuery } from '../../api/lists.ts'
import { useGo, useParam } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { BAD } from '../../parts/colours.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { certificateEnd } from './certificate-end.ts'
import { Health } from './health.tsx'
import {
  ADMIN,
  type GatewayObject,
  idOf,
  KINDS,
  type Kind,
  kindOf,
  type ObjectPage,
  TABS,
} from './records.ts'

/** All objects of one kind; the first kind is routes. */
export default function Objects() {
  const go = useGo()
  const kind = kindOf(useParam('kind'))
  const { data, error } = useQuery(pathQuery<ObjectPage>(`${ADMIN}/${kind}`))
  const { many, one, what, first } = KINDS[kind]
  const make = (
    <Button leftSection={icons.plus} onClick={() => go(`/gateway/${kind}/new`)}>
      New {one.toLowerCase()}
    </Button>
  )
  return (
    <Page title={kind === 'routes' ? 'Gateway' : many} note={what} actions={make}>
      <AreaTabs label="Gateway" tabs={TABS} />
      {error ? (
        <ScreenFault error={error} />
      ) : data?.list.length === 0 ? (
        <Empty title={`No ${many.toLowerCase()} yet`} action={make}>
          {first}
        </Empty>
      ) : (
        <DataTable
          label={many}
          rows={data?.list}
          columns={columnsOf(kind)}
          rowKey={({ key }) => key}
          open={(object) => go(`/gateway/${kind}/${encodeURIComponent(idOf(object))}`)}
        />
      )}
    </Page>
  )
}

function columnsOf(kind: Kind): readonly Column<GatewayObject>[] {
  return [
    { key: 'id', title: 'Id', render: idOf },
    ...(SPECIAL[kind] ?? [NAME, PLUGINS]),
    {
      key: 'changed',
      title: 'Changed',
      render: ({ value }) =>
        value.update_time ? (
          <When at={new Date(value.update_time * 1000).toISOString()} relative />
        ) : (
          '–'
        ),
    },
  ]
}

const SOON_MS = 30 * 86_400_000

function Ends({ pem }: { pem: string }) {
  const end = certificateEnd(pem)
  if (!end) return '–'
  const isSoon = end.getTime() - Date.now() < SOON_MS
  return (
    <Text span size="sm" {...(isSoon ? { c: BAD } : {})}>
      <When at={end.toISOString()} />
    </Text>
  )
}

const NAME: Column<GatewayObject> = {
  key: 'name',
  title: 'Name',
  render: ({ value }) => value.name ?? value.desc ?? '–',
}

const PLUGINS: Column<GatewayObject> = {
  key: 'plugins',
  title: 'Plugins',
  render: ({ value }) => (
    <Group gap={4}>
      {Object.keys(value.plugins ?? {}).length === 0 && '–'}
      {Object.keys(value.plugins ?? {}).map((name) => (
        <Badge key={name} miw="max-content" variant="dot" tt="none">
          {name}
        </Badge>
      ))}
    </Group>
  ),
}

const SPECIAL: Partial<Record<Kind, readonly Column<GatewayObject>[]>> = {
  routes: [
    NAME,
    {
      key: 'uri',
      title: 'Requests',
      render: ({ value }) => (
        <Text ff="monospace" fz="sm" span>
          {(value.methods ?? ['*']).join('|')} {(value.uris ?? [value.uri]).join(', ')}
        </Text>
      ),
    },
    {
      key: 'host',
      title: 'Host',
      render: ({ value }) => (value.hosts ?? [value.host]).filter(Boolean).join(', ') || 'any',
    },
    PLUGINS,
    {
      key: 'status',
      title: 'State',
      render: ({ value }) => (value.status === 0 ? <Text c={BAD}>off</Text> : 'on'),
    },
  ],
  upstreams: [
    NAME,
    { key: 'nodes', title: 'Nodes', render: (object) => <Health object={object} /> },
  ],
  ssls: [
    {
      key: 'snis',
      title: 'Names',
      render: ({ value }) => (value.snis ?? [value.sni]).filter(Boolean).join(', '),
    },
    {
      key: 'ends',
      title: 'Ends',
      render: ({ value }) => <Ends pem={String(value['cert'] ?? '')} />,
    },
  ],
}
