import { Button, Group, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type ContentType, pathOf, saveEntry } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { curl, Step } from './step.tsx'

interface Props {
  readonly type: ContentType | undefined
  onWritten(): void
}

export function EntryStep({ type, onWritten }: Props) {
  const [title, setTitle] = useState('Hello')
  const field = type?.displayField ?? 'title'
  const body = { [field]: title }
  const path = type ? pathOf(type) : '/api/v1/notes'
  const write = useMutation({
    mutationFn: () => saveEntry(path, 'POST', body, { query: {} }),
    onSuccess: onWritten,
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    write.mutate()
  }
  return (
    <Step
      number={2}
      title="An entry"
      note="Published at once. Under Content it can be kept as a draft, compared and published later."
      isDone={write.isSuccess}
      command={curl(path, { body })}
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={`Its ${field}`}
            value={title}
            required
            disabled={!type}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={write.error ? messageOf(write.error) : undefined}
          />
          <Button type="submit" disabled={!type} loading={write.isPending}>
            Publish it
          </Button>
        </Group>
      </form>
    </Step>
  )
}
