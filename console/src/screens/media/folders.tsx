import {
  ActionIcon,
  Button,
  Group,
  Modal,
  NativeSelect,
  Stack,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { icons } from '../../parts/icons.tsx'

interface Props {
  readonly folder: string | undefined
  onChange(folder: string | undefined): void
}

interface Folder {
  readonly path: string
}

/** Which folder is looked into, and how to make one; a folder is a path. */
export function Folders({ folder, onChange }: Props) {
  const [isOpen, dialog] = useDisclosure(false)
  const { data: folders = [] } = useQuery({
    queryKey: ['media-folders'],
    queryFn: async () => (await send<{ data: Folder[] }>('/api/v1/media/folders')).body.data,
  })
  return (
    <Group gap={4} wrap="nowrap">
      <NativeSelect
        size="xs"
        aria-label="Folder"
        value={folder ?? ''}
        data={[
          { value: '', label: 'All folders' },
          { value: '/', label: '/' },
          ...folders.map(({ path }) => ({ value: path, label: path })),
        ]}
        onChange={({ currentTarget: { value } }) => onChange(value || undefined)}
      />
      <Tooltip label="New folder">
        <ActionIcon variant="default" aria-label="New folder" onClick={dialog.open}>
          {icons.folder}
        </ActionIcon>
      </Tooltip>
      <Modal opened={isOpen} onClose={dialog.close} title="New folder">
        <NewFolder
          parent={folder ?? '/'}
          onMade={(path) => {
            dialog.close()
            onChange(path)
          }}
        />
      </Modal>
    </Group>
  )
}

function NewFolder({ parent, onMade }: { parent: string; onMade(path: string): void }) {
  const [path, setPath] = useState(parent.endsWith('/') ? parent : `${parent}/`)
  const [fault, setFault] = useState('')
  const client = useQueryClient()

  async function make(event: FormEvent) {
    event.preventDefault()
    try {
      const answer = await send<{ data: Folder }>('/api/v1/media/folders', {
        method: 'POST',
        body: { path },
      })
      await client.invalidateQueries({ queryKey: ['media-folders'] })
      onMade(answer.body.data.path)
    } catch (error) {
      setFault(messageOf(error))
    }
  }

  return (
    <form onSubmit={make}>
      <Stack>
        <TextInput
          label="Path"
          description="Such as /press/2026"
          data-autofocus
          value={path}
          error={fault}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <Button type="submit">Make the folder</Button>
      </Stack>
    </form>
  )
}
