import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo } from '../../location.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { SUBSCRIPTIONS } from './records.ts'
import { type Fields, SubscriptionFields } from './subscription-fields.tsx'

/** The secret is shown this once; receivers need it to check signatures. */
export function NewSubscription() {
  const go = useGo()
  const [values, setValues] = useState<Fields>({ endpoint_url: '', events: [], description: null })
  const make = useMutation({
    mutationFn: async () => {
      const { body } = await send<{ id: string; secret: string }>(SUBSCRIPTIONS, {
        method: 'POST',
        body: values,
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
      <SubscriptionFields values={values} errors={errors} onChange={setValues} />
    </DialogForm>
  )
}
