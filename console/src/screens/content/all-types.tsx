import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ContentType, typesQuery } from '../../api/content.ts'
import { may, useSession } from '../../api/session.ts'
import { useGo } from '../../location.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'

const COLUMNS: readonly Column<ContentType>[] = [
  { key: 'name', title: 'Type', render: ({ displayName }) => displayName },
  { key: 'path', title: 'Path', render: ({ pluralName }) => `/api/v1/${pluralName}` },
  { key: 'drafts', title: 'Drafts', render: (type) => (type.draftAndPublish ? 'yes' : 'no') },
  { key: 'languages', title: 'Languages', render: ({ localized }) => (localized ? 'yes' : 'no') },
  {
    key: 'attributes',
    title: 'Attributes',
    align: 'right',
    render: ({ attributes }) => Object.keys(attributes).length,
  },
]

export default function AllTypes() {
  const { data: types, error } = useQuery(typesQuery)
  const session = useSession()
  const go = useGo()
  if (error && !types) return <ScreenFault error={error} />
  return (
    <Page title="Content" note="Everything that is written, by type.">
      {types?.length === 0 ? (
        <Empty
          title="No types yet"
          action={
            may(session, 'admin') && <Button onClick={() => go('/types/new')}>New type</Button>
          }
        >
          A type says what entries consist of: an article has a title, a text and an author.
        </Empty>
      ) : (
        <DataTable
          label="Content types"
          rows={types}
          columns={COLUMNS}
          rowKey={({ uid }) => uid}
          open={({ pluralName }) => go(`/content/${pluralName}`)}
        />
      )}
    </Page>
  )
}
