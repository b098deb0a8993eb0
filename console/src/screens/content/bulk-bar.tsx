import { Button, Group, Paper, Progress, Text } from '@mantine/core'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { type ContentType, entryPath } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { SetField } from './set-field.tsx'

interface Props {
  readonly type: ContentType
  readonly selected: ReadonlySet<string>
  onDone(): void
  onClear(): void
}

type Operation = 'publish' | 'unpublish' | 'delete'
const DONE: Readonly<Record<Operation, string>> = {
  publish: 'published',
  unpublish: 'taken back',
  delete: 'deleted',
}
/** At once; more would only wait in the server's queue. */
const BESIDE = 6

/** What can be done with the selected rows; each has its own outcome, and the work shows how far it is. */
export function BulkBar({ type, selected, onDone, onClear }: Props) {
  const [done, setDone] = useState<number>()
  const [asked, setAsked] = useState<Asked | null>(null)
  const count = selected.size
  if (count === 0) return null

  async function run(operation: Operation) {
    const waiting = [...selected]
    const faults: string[] = []
    setDone(0)
    const work = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        await perform(type, id, operation).catch((error) =>
          faults.push(`#${id}: ${messageOf(error)}`),
        )
        setDone((before = 0) => before + 1)
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, work))
    setDone(undefined)
    tellDone(`${count - faults.length} entries ${DONE[operation]}`)
    if (faults.length > 0) tellFault(new Error(faults.slice(0, 5).join('\n')))
    onDone()
  }

  return (
    <Paper withBorder p="xs" mb="xs" role="region" aria-label="Selected entries">
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {count} selected
        </Text>
        {type.draftAndPublish && (
          <>
            <Button size="xs" onClick={() => void run('publish')} disabled={done !== undefined}>
              Publish
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => void run('unpublish')}
              disabled={done !== undefined}
            >
              Unpublish
            </Button>
          </>
        )}
        <SetField type={type} ids={[...selected]} isDisabled={done !== undefined} onDone={onDone} />
        <Button
          size="xs"
          color="red"
          variant="light"
          disabled={done !== undefined}
          onClick={() =>
            setAsked({
              title: `Delete ${count} entries?`,
              message: 'They are gone for everybody, in all languages, with their history.',
              button: 'Delete',
              name: String(count),
              run: () => run('delete'),
            })
          }
        >
          Delete
        </Button>
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear selection
        </Button>
      </Group>
      {done !== undefined && (
        <Progress mt="xs" value={(done / count) * 100} aria-label="Progress" />
      )}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Paper>
  )
}

function perform(type: ContentType, id: string, operation: Operation) {
  const path = entryPath(type, id)
  if (operation === 'delete') return send(path, { method: 'DELETE' })
  return send(`${path}/${operation}`, { method: 'POST' })
}
