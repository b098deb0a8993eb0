import { Anchor, List, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { typesQuery } from '../../api/content.ts'

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
  const { data: types = [] } = useQuery(typesQuery)
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
        {uses.map(({ type, id, document_id, locale, field, is_live }) => {
          const found = types.find(({ singularName }) => singularName === type)
          return (
            <List.Item key={`${type} ${id} ${locale} ${field}`}>
              <Anchor
                href={`/console/content/${found?.pluralName ?? type}/${document_id}${locale ? `?locale=${locale}` : ''}`}
              >
                {found?.displayName ?? type} #{id}
              </Anchor>
              , {field}
              {locale ? ` (${locale})` : ''}
              {is_live ? '' : ', draft'}
            </List.Item>
          )
        })}
      </List>
    </Paper>
  )
}
