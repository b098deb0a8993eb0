import { Alert, Anchor, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { entryPath, loadEntry, titleOf, typesQuery } from '../../api/content.ts'
import { useGo } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { When } from '../../parts/when.tsx'
import { countOf, sizeOf } from '../../parts/words.ts'
import type { Overview } from './overview.ts'

interface Props {
  readonly overview: Overview
}

/** Shown only while something fails. */
export function Troubles({ overview }: Props) {
  const { failing_webhooks: hooks, failing_upstreams: upstreams } = overview
  if (hooks.total === 0 && upstreams.length === 0) return null
  return (
    <Alert color="red" icon={icons.warning} title="Needs a look">
      <List size="sm" listStyleType="none">
        {hooks.some.map((hook) => (
          <List.Item key={hook.id}>
            <Way to={`/webhooks/${hook.id}?consumer_id=${hook.consumer_id}`}>
              {hook.endpoint_url}
            </Way>{' '}
            {hook.is_active
              ? `has failed ${countOf(hook.failure_count)} times in a row`
              : 'was given up after failing'}
          </List.Item>
        ))}
        {upstreams.map(({ upstream, host, port }) => (
          <List.Item key={`${upstream} ${host}:${port}`}>
            <Way to="/gateway/upstreams">{upstream}</Way>: {host}:{port} does not answer as it
            should
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

export function LatestChanges({ overview: { changes } }: Props) {
  return (
    <Box title="Latest changes">
      {changes.length === 0 && <Nothing>Nothing was written yet.</Nothing>}
      {changes.map((change) => (
        <Line
          key={`${change.document_id} ${change.at}`}
          left={<Changed change={change} />}
          right={<When at={change.at} relative />}
        />
      ))}
    </Box>
  )
}

/** What is gone has no screen. */
function Changed({ change }: { change: Overview['changes'][number] }) {
  const { data: types = [] } = useQuery(typesQuery)
  const type = types.find(({ singularName }) => singularName === change.type)
  const { document_id: id, locale } = change
  const isGone = !type || change.event.endsWith('.deleted')
  const { data } = useQuery({
    queryKey: ['changed', id, locale, change.at],
    queryFn: () =>
      loadEntry(type ? entryPath(type, id) : '', { status: 'all', locale: locale ?? undefined }),
    enabled: !isGone,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const what = `${type?.displayName ?? change.type} ${change.event.split('.').at(-1)}`
  if (isGone) return <Text size="sm">{what}</Text>
  return (
    <Text size="sm" component="div" flex={1} miw={0} truncate>
      <Way to={`/content/${type.pluralName}/${id}${locale ? `?locale=${locale}` : ''}`}>
        <bdi>{data ? titleOf(type, data.entry) : what}</bdi>
      </Way>{' '}
      {data && (
        <Text span inherit c="dimmed">
          {what}
        </Text>
      )}
    </Text>
  )
}

export function Runs({ overview: { runs } }: Props) {
  return (
    <Box title={`Runs under way (${runs.total})`}>
      {runs.some.length === 0 && <Nothing>No scraper is running.</Nothing>}
      {runs.some.map((run) => (
        <Line
          key={run.id}
          left={<Way to={`/scrapers/${run.scraper_id}/runs/${run.id}`}>{run.scraper}</Way>}
          right={`${countOf(run.pages_fetched)} pages, ${countOf(run.items_collected)} items`}
        />
      ))}
    </Box>
  )
}

export function Nodes({ overview: { nodes } }: Props) {
  return (
    <Box title={nodes.length === 1 ? 'Node' : `${nodes.length} nodes`}>
      {nodes.map((node) => (
        <Line
          key={node.id}
          left={
            <Text size="sm" className="wrap-anywhere">
              {node.host} · {node.roles.join(', ')}
            </Text>
          }
          right={
            <>
              {sizeOf(node.memory_bytes)}, {node.threads} threads, since{' '}
              <When at={node.started_at} />
            </>
          }
        />
      ))}
    </Box>
  )
}

function Box({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        {title}
      </Title>
      <Stack gap={6}>{children}</Stack>
    </Paper>
  )
}

function Line({ left, right }: { left: ReactNode; right: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      {left}
      <Text size="sm" c="dimmed" component="div">
        {right}
      </Text>
    </Group>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

function Way({ to, children }: { to: string; children: ReactNode }) {
  const go = useGo()
  return (
    <Anchor
      size="sm"
      href={`/console${to}`}
      className="wrap-anywhere"
      c="inherit"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </Anchor>
  )
}
