import { Anchor, List, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { entryPath, loadEntry, titleOf, typesQuery } from '../../api/content.ts'

export interface Use {
  readonly type: string
  readonly id: number
  readonly document_id: string
  readonly locale: string | null
  readonly field: string
  readonly is_live: boolean
}

/** Which entries show a file. */
export function Uses({ uses }: { uses: readonly Use[] }) {
  const byEntry = Map.groupBy(uses, ({ type, id }) => `${type} ${id}`)
  return (
    <Paper withBorder p="md" component="section" aria-label="Where it is used">
      <Title order={2} mb="xs">
        Where it is used
      </Title>
      {uses.length === 0 && (
        <Text c="dimmed" size="sm">
          No entry shows it.
        </Text>
      )}
      <List size="sm">
        {[...byEntry.values()].map((some) => (
          <OneEntry key={`${some[0]?.type} ${some[0]?.id}`} uses={some} />
        ))}
      </List>
    </Paper>
  )
}

function OneEntry({ uses }: { uses: readonly Use[] }) {
  const { data: types = [] } = useQuery(typesQuery)
  const [use] = uses
  const type = types.find(({ singularName }) => singularName === use?.type)
  const { data } = useQuery({
    queryKey: ['used in', use?.document_id, use?.locale],
    queryFn: () =>
      loadEntry(type ? entryPath(type, use?.document_id ?? '') : '', {
        status: 'all',
        locale: use?.locale ?? undefined,
      }),
    enabled: type !== undefined,
    retry: false,
  })
  if (!use) return null
  const { id, document_id, locale } = use
  const fields = [...new Set(uses.map(({ field }) => field))].join(', ')
  return (
    <List.Item>
      <Anchor
        href={`/console/content/${type?.pluralName ?? use.type}/${document_id}${locale ? `?locale=${locale}` : ''}`}
        className="wrap-anywhere"
      >
        <bdi>{data ? titleOf(type, data.entry) : `#${id}`}</bdi>
      </Anchor>{' '}
      <Text span size="sm" c="dimmed">
        {type?.displayName ?? use.type}, {fields}
        {locale ? ` (${locale})` : ''}
        {uses.some(({ is_live }) => is_live) ? '' : ', draft'}
      </Text>
    </List.Item>
  )
}
