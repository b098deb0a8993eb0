import { Button, FileButton, Group, Modal, Pagination, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listMedia, type MediaFile, uploadFile } from '../api/media.ts'
import { Empty } from './empty.tsx'
import { icons } from './icons.tsx'
import { MediaGrid } from './media-grid.tsx'
import { tellFault } from './notify.ts'

interface Props {
  readonly opened: boolean
  onClose(): void
  onChosen(file: MediaFile): void
}

const WAIT_MS = 200

/** A file that is there, or a new one. */
export function MediaPicker({ opened, onClose, onChosen }: Props) {
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const [progress, setProgress] = useState<number>()
  const [q] = useDebouncedValue(text, WAIT_MS)
  const client = useQueryClient()
  // An upload may end long after the form was written on.
  const choose = useRef(onChosen)
  choose.current = onChosen
  const { data } = useQuery({
    queryKey: ['media', { q, page: String(page) }],
    queryFn: () => listMedia({ q, page: String(page) }),
    enabled: opened,
    placeholderData: keepPreviousData,
  })

  async function upload(file: File | null) {
    if (!file) return
    setProgress(0)
    try {
      const uploaded = await uploadFile(file, undefined, setProgress)
      choose.current(uploaded)
      await client.invalidateQueries({ queryKey: ['media'] })
    } catch (error) {
      tellFault(error)
    } finally {
      setProgress(undefined)
    }
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Choose a file" size="xl">
      <Group mb="sm" justify="space-between">
        <TextInput
          leftSection={icons.search}
          aria-label="Search files"
          placeholder="Search"
          value={text}
          data-autofocus
          onChange={(event) => {
            setText(event.currentTarget.value)
            setPage(1)
          }}
        />
        <FileButton onChange={(file) => void upload(file)}>
          {(props) => (
            <Button {...props} leftSection={icons.upload} loading={progress !== undefined}>
              Upload
            </Button>
          )}
        </FileButton>
      </Group>
      {data?.data.length === 0 ? (
        <Empty title="No files">Pictures, videos and documents that entries show.</Empty>
      ) : (
        <MediaGrid files={data?.data ?? []} onOpen={onChosen} />
      )}
      {data && data.meta.total_pages > 1 && (
        <Pagination
          mt="sm"
          size="sm"
          total={data.meta.total_pages}
          value={page}
          onChange={setPage}
        />
      )}
    </Modal>
  )
}
