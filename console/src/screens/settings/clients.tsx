import {
  Alert,
  Button,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors, messageOf } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useSession } from '../../api/session.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { BAD } from '../../parts/colours.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { TABS } from './tabs.ts'

interface Client {
  readonly id: number
  readonly client_id: string
  readonly name: string | null
  readonly user_id: number
  readonly scopes: readonly string[]
  readonly created_at: string
}

const CLIENTS = '/api/v1/oauth/clients'
const COLUMNS: readonly Column<Client>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => name ?? '–' },
  { key: 'client_id', title: 'Client id', render: ({ client_id }) => client_id },
  { key: 'scopes', title: 'Scopes', render: ({ scopes }) => scopes.join(', ') },
  { key: 'user', title: 'User', render: ({ user_id }) => `#${user_id}` },
  { key: 'at', title: 'Since', render: ({ created_at }) => <When at={created_at} relative /> },
]

/** Programs that get tokens by client id and secret. */
export default function Clients() {
  const { data, error } = useQuery(listQuery<Client>(CLIENTS, { per_page: 100 }))
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (error) return <ScreenFault error={error} />
  const make = (
    <Button leftSection={icons.plus} onClick={() => setOpen(true)}>
      New client
    </Button>
  )
  return (
    <Page title="OAuth clients" note="Programs that get tokens at /oauth/token." actions={make}>
      <AreaTabs label="Settings" tabs={TABS} />
      {data?.data.length === 0 ? (
        <Empty title="No clients yet" action={make}>
          A client exchanges its id and secret for tokens that end by themselves.
        </Empty>
      ) : (
        <DataTable
          label="OAuth clients"
          rows={data?.data}
          columns={COLUMNS}
          rowKey={({ id }) => String(id)}
          open={(client) =>
            setAsked({
              title: `Delete ${client.name ?? client.client_id}?`,
              message: 'Its tokens end at once. Its usage stays.',
              button: 'Delete',
              name: client.name ?? client.client_id,
              run: async () => {
                await send(`${CLIENTS}/${client.id}`, { method: 'DELETE' })
                await queryClient.invalidateQueries({ queryKey: [CLIENTS] })
              },
            })
          }
        />
      )}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="New client">
        <ClientForm />
      </Modal>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

function ClientForm() {
  const session = useSession()
  const plans = useQuery(
    listQuery<{ id: number; name: string }>('/api/v1/plans', { per_page: 100 }),
  )
  const [name, setName] = useState('')
  const [userId, setUserId] = useState(session.id)
  const [planId, setPlanId] = useState<number>()
  const [scopes, setScopes] = useState<string[]>(['read'])
  const plan = planId ?? plans.data?.data[0]?.id
  const make = useMutation({
    mutationFn: async () => {
      const body = { name, user_id: userId, plan_id: plan, scopes }
      const answer = await send<{ data: { client_id: string; client_secret: string } }>(CLIENTS, {
        method: 'POST',
        body,
      })
      await queryClient.invalidateQueries({ queryKey: [CLIENTS] })
      return answer.body.data
    },
  })
  const errors = fieldErrors(make.error)
  if (make.data) {
    return (
      <Alert color="teal" title="The secret is shown this once">
        <Stack gap="xs">
          <CopyText text={make.data.client_id} label="Copy client id" />
          <CopyText text={make.data.client_secret} label="Copy secret" />
        </Stack>
      </Alert>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate()
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          error={errors['name']}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NumberInput
          label="User id"
          value={userId}
          error={errors['user_id']}
          onChange={(value) => setUserId(Number(value))}
        />
        <NativeSelect
          label="Plan"
          data={plans.data?.data.map(({ id, name: label }) => ({ value: String(id), label })) ?? []}
          value={plan ?? ''}
          onChange={(event) => setPlanId(Number(event.currentTarget.value))}
        />
        <MultiSelect
          label="Scopes"
          data={['read', 'write', 'admin']}
          value={scopes}
          error={errors['scopes']}
          onChange={setScopes}
        />
        {make.error && (
          <Text c={BAD} size="sm" role="alert">
            {messageOf(make.error)}
          </Text>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={make.isPending}>
            Make the client
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
