import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { tellFault } from '../../parts/notify.ts'
import { Person } from '../../parts/person.tsx'
import { When } from '../../parts/when.tsx'

export interface Client {
  readonly id: number
  readonly client_id: string
  readonly name: string | null
  readonly user_id: number
  readonly scopes: readonly string[]
  readonly disabled: boolean
  readonly secret_rotated_at: string | null
  readonly created_at: string
}

export const CLIENTS = '/api/v1/oauth/clients'

/** What can be done with one client: a new secret, a pause, the end. */
export function ClientDetails({ client, onClose }: { client: Client; onClose(): void }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const path = `${CLIENTS}/${client.id}`
  const name = client.name ?? client.client_id
  const refresh = () => queryClient.invalidateQueries({ queryKey: [CLIENTS] })
  const rotate = useMutation({
    mutationFn: async () => {
      const answer = await send<{ data: { client_secret: string } }>(`${path}/rotate-secret`, {
        method: 'POST',
      })
      await refresh()
      return answer.body.data.client_secret
    },
    onError: tellFault,
  })
  const pause = useMutation({
    mutationFn: async () => {
      await send(path, { method: 'PATCH', body: { disabled: !client.disabled } })
      await refresh()
      onClose()
    },
    onError: tellFault,
  })

  function askToDelete() {
    setAsked({
      title: `Delete ${name}?`,
      message: 'Its tokens end at once. Its usage stays.',
      button: 'Delete',
      name,
      run: async () => {
        await send(path, { method: 'DELETE' })
        onClose()
        await refresh()
      },
    })
  }

  return (
    <Stack gap="sm">
      <CopyText text={client.client_id} label="Copy client id" />
      <Text size="sm" component="div">
        Scopes {client.scopes.join(', ')}, of <Person id={client.user_id} />, since{' '}
        <When at={client.created_at} />
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {client.secret_rotated_at ? (
          <>
            The secret was changed <When at={client.secret_rotated_at} relative />.
          </>
        ) : (
          'The secret is still the first one.'
        )}
      </Text>
      {rotate.data !== undefined && (
        <Alert color="teal" title="The new secret is shown this once">
          <CopyText text={rotate.data} label="Copy secret" />
        </Alert>
      )}
      <Group justify="space-between">
        <Button variant="subtle" color="red" onClick={askToDelete}>
          Delete
        </Button>
        <Group gap="xs">
          <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate()}>
            {client.disabled ? 'Switch on' : 'Switch off'}
          </Button>
          <Button
            loading={rotate.isPending}
            onClick={() =>
              setAsked({
                title: 'Make a new secret?',
                message: 'The secret that is used now no longer works.',
                button: 'Make it',
                run: async () => void (await rotate.mutateAsync()),
              })
            }
          >
            New secret
          </Button>
        </Group>
      </Group>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Stack>
  )
}
