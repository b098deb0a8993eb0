import '@mantine/dropzone/styles.css'
import { Group, Progress, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useState } from 'react'
import { messageOf } from '../../api/errors.ts'
import { uploadFile } from '../../api/media.ts'
import { icons } from '../../parts/icons.tsx'

interface Upload {
  readonly name: string
  readonly share: number
  readonly fault?: string
}

interface Props {
  readonly folder: string | undefined
  onDone(): void
}

/** Files that travel at once; the others wait. */
const BESIDE = 3

/** Files are dropped or chosen; each shows how far it is and, when it is refused, why. */
export function UploadArea({ folder, onDone }: Props) {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const isBusy = uploads.some(({ share, fault }) => share < 1 && !fault)

  async function upload(files: readonly File[]) {
    setUploads(files.map(({ name }) => ({ name, share: 0 })))
    const set = (at: number, change: Partial<Upload>) =>
      setUploads((before) =>
        before.map((each, index) => (index === at ? { ...each, ...change } : each)),
      )
    const waiting = [...files.entries()]
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [at, file] = next
        try {
          // Whole only once the server has said so.
          await uploadFile(file, folder, (share) => set(at, { share: Math.min(share, 0.99) }))
          set(at, { share: 1 })
        } catch (error) {
          set(at, { fault: messageOf(error) })
        }
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, work))
    setUploads((before) => before.filter(({ fault }) => fault))
    onDone()
  }

  return (
    <Stack gap="xs">
      <Dropzone
        onDrop={(files) => void upload(files)}
        disabled={isBusy}
        p="md"
        inputProps={{ 'aria-label': 'Files to upload' }}
      >
        <Group justify="center" gap="xs">
          {icons.upload}
          <Text size="sm">
            Drop files here, or click to choose{folder ? `; they go to ${folder}` : ''}
          </Text>
        </Group>
      </Dropzone>
      {uploads.map(({ name, share, fault }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <Group key={index} gap="xs" wrap="nowrap">
          <Text size="xs" w={200} truncate dir="auto">
            {name}
          </Text>
          {fault ? (
            <Text size="xs" c="red">
              {fault}
            </Text>
          ) : (
            <Progress flex={1} value={share * 100} aria-label={`Upload of ${name}`} />
          )}
        </Group>
      ))}
    </Stack>
  )
}
