import {
  Anchor,
  Button,
  FileButton,
  Grid,
  Group,
  Image,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type RefObject, useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import type { MediaFile } from '../../api/media.ts'
import { useGo, useParam } from '../../location.ts'
import { changedMembers } from '../../parts/changed-members.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { icons } from '../../parts/icons.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { sizeText } from './library.tsx'
import { type Use, Uses } from './uses.tsx'

export default function FileScreen() {
  const id = useParam('id')
  const path = `/api/v1/media/${encodeURIComponent(id)}`
  const file = useQuery({
    queryKey: ['file', id],
    queryFn: async () => (await send<{ data: MediaFile }>(path)).body.data,
  })
  const uses = useQuery({
    queryKey: ['file', id, 'uses'],
    queryFn: async () => (await send<{ data: Use[] }>(`${path}/related`)).body.data,
  })
  const error = file.error ?? uses.error
  if (!file.data || !uses.data) {
    return error ? <ScreenFault error={error} /> : <Skeleton h={300} m="lg" />
  }
  return <FileForm key={id} file={file.data} uses={uses.data} path={path} />
}

function FileForm({ file, uses, path }: { file: MediaFile; uses: readonly Use[]; path: string }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayLeave = useRef(false)
  const client = useQueryClient()
  const go = useGo()

  async function replace(chosen: File | null) {
    if (!chosen) return
    const body = new FormData()
    body.append('file', chosen)
    try {
      await send(`${path}/file`, { method: 'PUT', body })
      await client.invalidateQueries({ queryKey: ['file'] })
      tellDone('Replaced: everything that shows it shows the new one')
    } catch (error) {
      tellFault(error)
    }
  }

  function askToDelete() {
    const count = new Set(uses.map(({ document_id }) => document_id)).size
    setAsked({
      title: `Delete ${file.name}?`,
      message:
        count === 0
          ? 'No entry shows it. It cannot be brought back.'
          : `${count === 1 ? 'One entry shows' : `${count} entries show`} it, and will show nothing in its place. It cannot be brought back.`,
      button: 'Delete',
      name: file.name,
      run: async () => {
        await send(path, { method: 'DELETE' })
        mayLeave.current = true
        await client.invalidateQueries({ queryKey: ['media'] })
        tellDone('Deleted')
        go('/media')
      },
    })
  }

  return (
    <Page
      title={file.name}
      note={`${file.mime}, ${sizeText(file.size)}${file.width ? `, ${file.width} × ${file.height}` : ''}`}
      actions={
        <>
          <FileButton onChange={(chosen) => void replace(chosen)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={icons.upload}>
                Replace
              </Button>
            )}
          </FileButton>
          <Button color="red" variant="light" leftSection={icons.trash} onClick={askToDelete}>
            Delete
          </Button>
        </>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            {file.mime.startsWith('image/') && (
              <Paper withBorder p="xs">
                <Image src={file.url} alt={file.alternative_text ?? ''} mah={420} fit="contain" />
              </Paper>
            )}
            <CopyText text={`${location.origin}${file.url}`} label="Copy address" />
            <Formats file={file} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <Words {...{ file, path, mayLeave }} />
            <Uses uses={uses} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

interface WordsProps {
  readonly file: MediaFile
  readonly path: string
  readonly mayLeave: RefObject<boolean>
}

/** What is said of it: for people who cannot see it, below it, and where it lies. */
function Words({ file, path, mayLeave }: WordsProps) {
  const [before, setBefore] = useState(() => wordsOf(file))
  const [values, setValues] = useState(before)
  const changes = changedMembers(before, values)
  const isChanged = Object.keys(changes).length > 0
  const [fault, setFault] = useState<unknown>()
  const client = useQueryClient()
  const errors = fieldErrors(fault)

  async function save(event: FormEvent) {
    event.preventDefault()
    setFault(undefined)
    try {
      const given = Object.entries(changes).map(([name, text]) => [name, text || null])
      const body = Object.fromEntries(given)
      const answer = await send<{ data: MediaFile }>(path, { method: 'PATCH', body })
      const saved = wordsOf(answer.body.data)
      setBefore(saved)
      // What was typed meanwhile stays.
      setValues((now) => ({ ...saved, ...changedMembers(values, now) }))
      for (const queryKey of [['file'], ['media-folders']])
        await client.invalidateQueries({ queryKey })
      tellDone('Saved')
    } catch (error) {
      setFault(error)
      if (Object.keys(fieldErrors(error)).length === 0) tellFault(error)
    }
  }

  const field = (name: keyof typeof values, label: string, description?: string) => (
    <TextInput
      label={label}
      description={description}
      dir="auto"
      value={values[name]}
      error={errors[name]}
      onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
    />
  )
  return (
    <Paper withBorder p="md">
      <LeaveGuard isBlocking={isChanged} mayLeave={mayLeave} />
      <form onSubmit={save}>
        <Stack gap="sm">
          {field('name', 'Name')}
          {field(
            'alternative_text',
            'Alternative text',
            'Says what it shows to people who cannot see it',
          )}
          {field('caption', 'Caption')}
          {field('folder', 'Folder')}
          <Group>
            <Button type="submit" disabled={!isChanged}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}

function wordsOf({ name, alternative_text, caption, folder }: MediaFile) {
  return { name, folder, alternative_text: alternative_text ?? '', caption: caption ?? '' }
}

function Formats({ file }: { file: MediaFile }) {
  const formats = Object.entries(file.formats ?? {})
  if (formats.length === 0) return null
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        Formats
      </Title>
      <Table>
        <Table.Tbody>
          {formats.map(([name, { url, width, height }]) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor href={url} target="_blank" rel="noreferrer">
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <Text size="sm">
                  {width} × {height}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
