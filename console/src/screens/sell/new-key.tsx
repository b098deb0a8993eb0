import { Alert, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { LEVELS, may, useSession } from '../../api/session.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { UserSelect } from '../../parts/user-select.tsx'
import type { Plan } from './records.ts'

interface Props {
  readonly userId: number | undefined
  readonly plans: readonly Plan[]
}

/** The key is shown this once, with a command that works as it stands. */
export function NewKey({ userId, plans }: Props) {
  const session = useSession()
  const isAdmin = may(session, 'admin')
  const [planId, setPlanId] = useState<number>()
  const [name, setName] = useState('')
  const [access, setAccess] = useState('read')
  const [owner, setOwner] = useState<number | null>(userId ?? null)
  const plan = planId ?? plans[0]?.id
  const make = useMutation({
    mutationFn: async () => {
      const body = {
        plan_id: plan,
        access,
        ...(name === '' ? {} : { name }),
        ...(isAdmin && owner !== null ? { user_id: owner } : {}),
      }
      const answer = await send<{ data: { key: string } }>('/api/v1/keys', { method: 'POST', body })
      return answer.body.data.key
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['/api/v1/keys'] }),
  })
  const errors = fieldErrors(make.error)
  if (make.data) return <Made rawKey={make.data} />
  return (
    <DialogForm send={make} button="Make the key" isReady={plan !== undefined}>
      <TextInput
        label="Name"
        description="Where it is used, such as: website"
        data-autofocus
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label="Plan"
        data={plans.map(({ id, name: label }) => ({ value: String(id), label }))}
        value={plan ?? ''}
        error={errors['plan_id']}
        onChange={(event) => setPlanId(Number(event.currentTarget.value))}
      />
      <NativeSelect
        label="Level"
        data={LEVELS.filter((level) => may(session, level))}
        value={access}
        error={errors['access']}
        onChange={(event) => setAccess(event.currentTarget.value)}
      />
      {isAdmin && userId === undefined && (
        <UserSelect
          description="None: your own key"
          value={owner}
          error={errors['user_id']}
          onChange={setOwner}
        />
      )}
    </DialogForm>
  )
}

export function Made({ rawKey }: { rawKey: string }) {
  return (
    <Stack gap="sm">
      <Alert color="teal" title="Shown this once: keep it">
        <CopyText text={rawKey} label="Copy key" />
      </Alert>
      <Text size="sm">The first request with it:</Text>
      <CopyText
        text={`curl -H 'X-API-Key: ${rawKey}' ${location.origin}/api/v1/me`}
        label="Copy command"
      />
    </Stack>
  )
}
