import { Alert, Button, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Entry } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { toInstant, toLocal } from '../../parts/fields/times.tsx'
import { tellDone } from '../../parts/notify.ts'
import type { Values } from './form-values.ts'

interface Props {
  readonly entry: Entry
  setTimes(times: Values): Promise<void>
}

/** When it goes live and when it is taken back, by itself. */
export function Schedule({ entry, setTimes }: Props) {
  const [publishAt, setPublishAt] = useState(toLocal(entry.publish_at ?? ''))
  const [unpublishAt, setUnpublishAt] = useState(toLocal(entry.unpublish_at ?? ''))
  const [fault, setFault] = useState('')
  const isSame =
    publishAt === toLocal(entry.publish_at ?? '') &&
    unpublishAt === toLocal(entry.unpublish_at ?? '')

  async function save() {
    setFault('')
    try {
      await setTimes({ publish_at: toInstant(publishAt), unpublish_at: toInstant(unpublishAt) })
      tellDone('Times are set')
    } catch (error) {
      setFault(messageOf(error))
    }
  }

  return (
    <Paper withBorder p="sm" component="section" aria-label="Schedule">
      <Stack gap="xs">
        <Title order={2} fz="sm">
          Schedule
        </Title>
        {entry.schedule_error && <Alert color="red">{entry.schedule_error}</Alert>}
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          label="Publish at"
          value={publishAt}
          onChange={(event) => setPublishAt(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          label="Unpublish at"
          value={unpublishAt}
          error={fault}
          onChange={(event) => setUnpublishAt(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" disabled={isSame} onClick={() => void save()}>
          Set times
        </Button>
      </Stack>
    </Paper>
  )
}
