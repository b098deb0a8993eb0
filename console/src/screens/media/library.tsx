import { Button, Group, Pagination, SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { listMedia, type MediaFile } from '../../api/media.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { MediaGrid } from '../../parts/media-grid.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { When } from '../../parts/when.tsx'
import { Folders } from './folders.tsx'
import { UploadArea } from './upload-area.tsx'

const COLUMNS: readonly Column<MediaFile>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => name },
  { key: 'mime', title: 'Kind', render: ({ mime }) => mime },
  { key: 'size', title: 'Size', align: 'right', render: ({ size }) => sizeText(size) },
  {
    key: 'pixels',
    title: 'Pixels',
    render: ({ width, height }) => (width ? `${width} × ${height}` : '–'),
  },
  { key: 'folder', title: 'Folder', render: ({ folder }) => folder },
  { key: 'created', title: 'Added', render: ({ created_at }) => <When at={created_at} relative /> },
]

export default function Library() {
  const [search, change] = useSearchText()
  const { q, folder, view = 'grid' } = search
  const page = pageIn(search)
  const go = useGo()
  const { data, error, refetch } = useQuery({
    queryKey: ['media', { q, folder, page }],
    queryFn: () => listMedia({ q, folder, page: String(page) }),
    placeholderData: keepPreviousData,
  })
  if (error && !data) return <ScreenFault error={error} reset={() => void refetch()} />
  const open = ({ id }: MediaFile) => go(`/media/${id}`)
  return (
    <Page title="Media" note="Pictures, videos and documents that entries show.">
      <UploadArea folder={folder} onDone={() => void refetch()} />
      <Group gap="xs" my="sm">
        <SearchBox
          label="Search files"
          placeholder="Search by name"
          text={q}
          onChange={(text) => change({ q: text, page: undefined })}
        />
        <Folders folder={folder} onChange={(path) => change({ folder: path, page: undefined })} />
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={view}
          onChange={(chosen) => change({ view: chosen })}
          data={[
            { value: 'grid', label: 'Grid' },
            { value: 'list', label: 'List' },
          ]}
        />
      </Group>
      {data?.data.length === 0 ? (
        <Empty title={q || folder ? 'Nothing fits' : 'No files yet'}>
          {q || folder
            ? 'Search for another name, or look in all folders.'
            : 'Drop files above to add the first ones.'}
        </Empty>
      ) : view === 'list' ? (
        <DataTable
          label="Files"
          rows={data?.data}
          columns={COLUMNS}
          rowKey={({ id }) => String(id)}
          open={open}
        />
      ) : (
        <MediaGrid files={data?.data ?? []} onOpen={open} />
      )}
      {data && data.meta.total_pages > 1 && (
        <Pagination
          mt="md"
          size="sm"
          total={data.meta.total_pages}
          value={page}
          onChange={(number) => change({ page: String(number) })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
      {(q || folder) && (
        <Button
          mt="md"
          size="xs"
          variant="subtle"
          onClick={() => change({ q: undefined, folder: undefined, page: undefined })}
        >
          Show all files
        </Button>
      )}
    </Page>
  )
}

export function sizeText(kilobytes: number): string {
  return kilobytes >= 1_000 ? `${(kilobytes / 1_000).toFixed(1)} MB` : `${kilobytes.toFixed(1)} KB`
}
