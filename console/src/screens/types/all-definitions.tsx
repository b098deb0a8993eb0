import { Button, Group, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import {
  type ComponentType,
  type ContentType,
  componentsQuery,
  typesQuery,
} from '../../api/content.ts'
import { useGo } from '../../location.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { ModelFile } from './model-file.tsx'

const TYPES: readonly Column<ContentType>[] = [
  { key: 'name', title: 'Type', render: ({ displayName }) => displayName },
  {
    key: 'kind',
    title: 'Kind',
    render: ({ kind }) => (kind === 'singleType' ? 'single' : 'collection'),
  },
  { key: 'path', title: 'Name', render: ({ singularName }) => singularName },
  {
    key: 'count',
    title: 'Attributes',
    align: 'right',
    render: (type) => Object.keys(type.attributes).length,
  },
  {
    key: 'public',
    title: 'Read without a key',
    render: ({ publicRead }) => (publicRead ? 'yes' : 'no'),
  },
  { key: 'changing', title: '', render: ({ changing }) => (changing ? 'being changed' : '') },
]

const COMPONENTS: readonly Column<ComponentType>[] = [
  { key: 'name', title: 'Component', render: ({ displayName }) => displayName },
  { key: 'uid', title: 'Name', render: ({ uid }) => uid },
  {
    key: 'count',
    title: 'Attributes',
    align: 'right',
    render: (part) => Object.keys(part.attributes).length,
  },
]

export default function AllDefinitions() {
  const { data: types, error } = useQuery(typesQuery)
  const { data: components } = useQuery(componentsQuery)
  const go = useGo()
  if (error && !types) return <ScreenFault error={error} />
  return (
    <Page
      title="Types"
      note="What entries consist of. Every interface follows at once."
      actions={
        <>
          <Button variant="default" onClick={() => go('/types/graph')}>
            Relations
          </Button>
          <ModelFile types={types ?? []} components={components ?? []} />
          <Button leftSection={icons.plus} onClick={() => go('/types/new')}>
            New type
          </Button>
        </>
      }
    >
      {types?.length === 0 ? (
        <Empty
          title="No types yet"
          action={<Button onClick={() => go('/types/new')}>New type</Button>}
        >
          A type says what entries consist of: an article has a title, a text and an author.
        </Empty>
      ) : (
        <DataTable
          label="Types"
          rows={types}
          columns={TYPES}
          rowKey={({ uid }) => uid}
          open={({ singularName }) => go(`/types/${singularName}`)}
        />
      )}
      <Group justify="space-between" mt="xl" mb="xs">
        <Title order={2}>Components</Title>
        <Button
          size="xs"
          variant="default"
          leftSection={icons.plus}
          onClick={() => go('/types/components/new')}
        >
          New component
        </Button>
      </Group>
      {components?.length === 0 ? (
        <Empty title="No components yet">
          A component is a part that several types share, such as a call to action or an address.
        </Empty>
      ) : (
        <DataTable
          label="Components"
          rows={components}
          columns={COMPONENTS}
          rowKey={({ uid }) => uid}
          open={({ uid }) => go(`/types/components/${uid}`)}
        />
      )}
    </Page>
  )
}
