import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { changedMembers } from '../../parts/changed-members.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { tellDone } from '../../parts/notify.ts'
import { SUBSCRIPTIONS, type Subscription, useSubscriptionPath } from './records.ts'
import { type Fields, SubscriptionFields } from './subscription-fields.tsx'

/** What waits to be sent goes to the new endpoint, too. */
export function ChangeSubscription({ one, onDone }: { one: Subscription; onDone(): void }) {
  const { endpoint_url, events, description } = one
  const [before] = useState<Fields>({ endpoint_url, events, description })
  const [values, setValues] = useState(before)
  const { path, query } = useSubscriptionPath()
  const save = useMutation({
    mutationFn: () => send(path, { method: 'PATCH', query, body: changedMembers(before, values) }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [path] })
      await queryClient.invalidateQueries({ queryKey: [SUBSCRIPTIONS] })
      tellDone('The subscription was saved')
      onDone()
    },
  })
  return (
    <DialogForm send={save} button="Save">
      <SubscriptionFields
        values={values}
        errors={fieldErrors(save.error)}
        hasPatterns={one.event_patterns.length > 0}
        onChange={setValues}
      />
    </DialogForm>
  )
}
