import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { type ContentType, type Entry, entryPath, titleOf } from '../../api/content.ts'
import { useGo } from '../../location.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { When } from '../../parts/when.tsx'
import { AsJson } from './as-json.tsx'
import { CompareLive } from './compare-live.tsx'
import type { Model, Values } from './form-values.ts'
import { Languages } from './languages.tsx'
import { Schedule } from './schedule.tsx'

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
  readonly entry: Entry | undefined
  setTimes(times: Values): Promise<void>
  onBeside(values: Values | undefined): void
  onFill(values: Values): void
}

/** Beside the form: who and when, languages, times, and what else can be done with the entry. */
export function EntryAside(props: Props) {
  const { type, entry, id, setTimes } = props
  return (
    <Stack gap="md">
      {type.localized && <Languages {...props} />}
      {entry && (
        <>
          <Facts entry={entry} />
          {type.draftAndPublish && <Schedule {...{ entry, setTimes }} />}
          <More {...props} entry={entry} id={id} />
        </>
      )}
    </Stack>
  )
}

function Facts({ entry }: { entry: Entry }) {
  return (
    <Paper withBorder p="sm" component="section" aria-label="About this entry">
      <Stack gap={4} fz="sm">
        <div>
          Id <b>{entry.id}</b>
        </div>
        <div>
          Created <When at={entry.created_at} relative />
        </div>
        <div>
          Changed <When at={entry.updated_at} relative />
        </div>
        {entry.published_at !== undefined && (
          <div>
            Published <When at={entry.published_at} relative />
          </div>
        )}
      </Stack>
    </Paper>
  )
}

/** Characters of a title that are typed without a mistake. */
const LONG = 40

function More({ model, type, entry, id, locale }: Props & { entry: Entry }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [isJson, json] = useDisclosure(false)
  const [isCompared, compare] = useDisclosure(false)
  const go = useGo()
  const here = `/content/${type.pluralName}`

  function askToDelete() {
    setAsked({
      title: 'Delete this entry?',
      message: `“${titleOf(type, entry)}” goes for everybody${type.localized ? ', in all languages' : ''}, with its drafts and its history.`,
      button: 'Delete',
      // Nobody types a headline of two lines.
      name: titleOf(type, entry).length > LONG ? String(entry.id) : titleOf(type, entry),
      run: async () => {
        await send(entryPath(type, id), { method: 'DELETE' })
        tellDone('Deleted')
        go(here)
      },
    })
  }

  return (
    <Paper withBorder p="sm" component="section" aria-label="More">
      <Title order={2} fz="sm" mb="xs">
        More
      </Title>
      <Stack gap={4}>
        {entry.status === 'changed' && (
          <Button variant="default" size="xs" onClick={compare.open}>
            Compare with live
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={icons.clock}
          onClick={() => go(`${here}/${id}/history${locale ? `?locale=${locale}` : ''}`)}
        >
          History
        </Button>
        <Button variant="default" size="xs" leftSection={icons.code} onClick={json.open}>
          As JSON
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="xs"
          leftSection={icons.trash}
          onClick={askToDelete}
        >
          Delete
        </Button>
      </Stack>
      <AsJson opened={isJson} onClose={json.close} type={type} entry={entry} />
      {isCompared && <CompareLive {...{ model, type, id, locale }} onClose={compare.close} />}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
      <Text size="xs" c="dimmed" mt="xs">
        Ctrl S saves.
      </Text>
    </Paper>
  )
}
