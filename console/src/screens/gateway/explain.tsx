import {
  Badge,
  Button,
  Code,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { useGo, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { BAD } from '../../parts/colours.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { ADMIN, TABS } from './records.ts'

interface Explanation {
  readonly matched: {
    readonly route_id: string
    readonly params: Readonly<Record<string, string>>
  } | null
  readonly rejected: readonly { readonly route_id: string; readonly because: string }[]
  readonly plugins: readonly {
    readonly name: string
    readonly phase: string
    readonly priority: number
    readonly from: string
  }[]
  readonly upstream: { readonly id: string; readonly nodes: readonly string[] } | null
  readonly forward: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
  } | null
}

/** Type a request, see which route and plugins it meets and what leaves for the upstream. */
export default function Explain() {
  const [search, setSearch] = useSearchText()
  const [method, setMethod] = useState(search['method'] ?? 'GET')
  const [uri, setUri] = useState(search['uri'] ?? '/')
  const [host, setHost] = useState(search['host'] ?? '')
  const [headers, setHeaders] = useState(search['headers'] ?? '')
  const asked = search['uri']
  const { data, error, isFetching } = useQuery({
    queryKey: ['explain', search],
    enabled: asked !== undefined,
    queryFn: async () => {
      const body = {
        method: search['method'] ?? 'GET',
        uri: asked,
        ...(search['host'] ? { host: search['host'] } : {}),
        headers: parseHeaders(search['headers'] ?? ''),
      }
      return (await send<Explanation>(`${ADMIN}/explain`, { method: 'POST', body })).body
    },
  })

  function ask(event: FormEvent) {
    event.preventDefault()
    setSearch({ method, uri, host: host || undefined, headers: headers || undefined })
  }

  return (
    <Page title="Explain" note="What the gateway would do with a request, without sending it.">
      <AreaTabs label="Gateway" tabs={TABS} />
      <form onSubmit={ask}>
        <Group align="flex-end" gap="xs" mb="md">
          <NativeSelect
            label="Method"
            data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']}
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value)}
          />
          <TextInput
            label="Path"
            required
            flex={1}
            miw={180}
            value={uri}
            onChange={(event) => setUri(event.currentTarget.value)}
          />
          <TextInput
            label="Host"
            value={host}
            onChange={(event) => setHost(event.currentTarget.value)}
          />
          <TextInput
            label="Headers"
            placeholder="X-One: 1; X-Two: 2"
            value={headers}
            onChange={(event) => setHeaders(event.currentTarget.value)}
          />
          <Button type="submit" loading={isFetching}>
            Explain
          </Button>
        </Group>
      </form>
      {error && (
        <Text c={BAD} size="sm" role="alert">
          {messageOf(error)}
        </Text>
      )}
      {asked === undefined && (
        <Empty title="Which way does a request take?">
          Type a path, and see which route takes it, why others do not, what each plugin does in its
          turn, and what leaves for the upstream. Nothing is sent.
        </Empty>
      )}
      {data && <Answer of={data} />}
    </Page>
  )
}

function Answer({ of }: { of: Explanation }) {
  const go = useGo()
  const { matched, rejected, plugins, upstream, forward } = of
  return (
    <Stack gap="md">
      <Paper withBorder p="md">
        <Title order={2} mb="xs">
          Route
        </Title>
        {matched ? (
          <Group gap="xs">
            <Button
              size="xs"
              variant="light"
              onClick={() => go(`/gateway/routes/${encodeURIComponent(matched.route_id)}`)}
            >
              {matched.route_id}
            </Button>
            {Object.entries(matched.params).map(([name, value]) => (
              <Badge key={name} miw="max-content" variant="dot" tt="none">
                {name} = {value}
              </Badge>
            ))}
          </Group>
        ) : (
          <Text size="sm">No route takes it: it is answered with 404.</Text>
        )}
        {rejected.map((route) => (
          <Text key={route.route_id} size="sm" c="dimmed">
            not {route.route_id}: {route.because}
          </Text>
        ))}
      </Paper>
      {plugins.length > 0 && (
        <Paper withBorder p="md">
          <Title order={2} mb="xs">
            Plugins, in their order
          </Title>
          <Table.ScrollContainer minWidth={420} type="native" tabIndex={0}>
            <Table aria-label="Plugins">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Phase</Table.Th>
                  <Table.Th>Plugin</Table.Th>
                  <Table.Th>From</Table.Th>
                  <Table.Th>Priority</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {plugins.map((plugin) => (
                  <Table.Tr key={`${plugin.phase} ${plugin.name} ${plugin.from}`}>
                    <Table.Td>{plugin.phase}</Table.Td>
                    <Table.Td>{plugin.name}</Table.Td>
                    <Table.Td>{plugin.from}</Table.Td>
                    <Table.Td>{plugin.priority}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Paper>
      )}
      {upstream && (
        <Paper withBorder p="md">
          <Title order={2} mb="xs">
            Upstream
          </Title>
          <Text size="sm" className="wrap-anywhere">
            {upstream.id}: {upstream.nodes.join(', ')}
          </Text>
          {forward && (
            <Code block mt="xs" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {[
                `${forward.method} ${forward.path}`,
                ...Object.entries(forward.headers).map(([name, value]) => `${name}: ${value}`),
              ].join('\n')}
            </Code>
          )}
        </Paper>
      )}
    </Stack>
  )
}

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(';').flatMap((part) => {
    const colon = part.indexOf(':')
    return colon < 1 ? [] : [[part.slice(0, colon).trim(), part.slice(colon + 1).trim()]]
  })
  return Object.fromEntries(pairs)
}
