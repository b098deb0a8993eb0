import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { may, useSession } from '../../api/session.ts'
import { BAD } from '../../parts/colours.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Person } from '../../parts/person.tsx'
import { When } from '../../parts/when.tsx'
import { LiveFigures } from './live-figures.tsx'
import { Made } from './new-key.tsx'
import type { Key, Plan } from './records.ts'

interface Props {
  readonly shown: Key
  readonly plans: readonly Plan[]
  onDone(): void
}

export function KeyDetails({ shown, plans, onDone }: Props) {
  const session = useSession()
  const [asked, setAsked] = useState<Asked | null>(null)
  const path = `/api/v1/keys/${shown.id}`
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['/api/v1/keys'] })
  const rotate = useMutation({
    mutationFn: async () => {
      const { body } = await send<{ data: { key: string } }>(`${path}/rotate`, { method: 'POST' })
      await refresh()
      return body.data.key
    },
  })
  const changePlan = useMutation({
    mutationFn: (planId: number) => send(path, { method: 'PATCH', body: { plan_id: planId } }),
    onSuccess: async () => {
      await refresh()
      tellDone('The key has the new plan from its next request on')
    },
  })
  if (rotate.data) {
    return (
      <Stack gap="sm">
        <Text size="sm">The old key works for another day.</Text>
        <Made rawKey={rotate.data} />
      </Stack>
    )
  }
  const fault = rotate.error ?? changePlan.error
  const isActive = shown.status === 'active'
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" component="div">
        Key {shown.id}
        {may(session, 'admin') && (
          <>
            {' '}
            of <Person id={shown.user_id} />
          </>
        )}
        , made <When at={shown.created_at} />
        {shown.expires_at && (
          <>
            , ends <When at={shown.expires_at} />
          </>
        )}
      </Text>
      <LiveFigures keyId={shown.id} />
      {may(session, 'admin') && isActive && (
        <NativeSelect
          label="Plan"
          data={plans.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(changePlan.isPending ? changePlan.variables : shown.plan_id)}
          onChange={(event) => changePlan.mutate(Number(event.currentTarget.value))}
        />
      )}
      {fault && (
        <Text c={BAD} size="sm" role="alert">
          {messageOf(fault)}
        </Text>
      )}
      {isActive && (
        <Group justify="flex-end" gap="xs">
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Rotate
          </Button>
          <Button
            variant="default"
            onClick={() =>
              setAsked({
                title: 'Revoke this key?',
                message:
                  'Its next request is refused, for ever. Whoever uses it needs another one.',
                button: 'Revoke',
                name: shown.name || shown.key_prefix || String(shown.id),
                run: async () => {
                  await send(`${path}/revoke`, { method: 'POST' })
                  await refresh()
                  onDone()
                },
              })
            }
          >
            Revoke
          </Button>
        </Group>
      )}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Stack>
  )
}
