import { Alert, Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo } from '../../location.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { eventTypesQuery, SUBSCRIPTIONS } from './records.ts'

/** The secret is shown this once; receivers need it to check signatures. */
export function NewSubscription() {
  const go = useGo()
  const types = useQuery(eventTypesQuery)
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<string[]>([])
  const make = useMutation({
    mutationFn: async () => {
      const { body } = await send<{ id: string; secret: string }>(SUBSCRIPTIONS, {
        method: 'POST',
        body: { endpoint_url: url, events },
      })
      await queryClient.invalidateQueries({ queryKey: [SUBSCRIPTIONS] })
      return body
    },
  })
  const errors = fieldErrors(make.error)
  if (make.data) {
    const { id, secret } = make.data
    return (
      <Stack gap="sm">
        <Alert color="teal" title="Shown this once: the receiver checks signatures with it">
          <CopyText text={secret} label="Copy secret" />
        </Alert>
        <Text size="sm">A test was sent to the endpoint.</Text>
        <Group justify="flex-end">
          <Button onClick={() => go(`/webhooks/${id}`)}>Open it</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <DialogForm send={make} button="Subscribe">
      <TextInput
        label="Endpoint"
        description="Where events are sent by POST"
        placeholder="https://example.com/hook"
        required
        data-autofocus
        value={url}
        error={errors['endpoint_url']}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <MultiSelect
        label="Events"
        searchable
        required
        data={types.data?.map(({ name }) => name) ?? []}
        value={events}
        error={errors['events']}
        onChange={setEvents}
      />
    </DialogForm>
  )
}
