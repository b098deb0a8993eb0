import { Alert, Button, Modal, MultiSelect, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useSession } from '../../api/session.ts'
import { pageIn, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { Person } from '../../parts/person.tsx'
import { NEW, RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { UserSelect } from '../../parts/user-select.tsx'
import { When } from '../../parts/when.tsx'
import { CLIENTS, type Client, ClientDetails } from './client-details.tsx'
import { TABS } from './tabs.ts'

const COLUMNS: readonly Column<Client>[] = [
  { key: 'name', title: 'Name', render: ({ name }) => name ?? '–' },
  { key: 'client_id', title: 'Client id', render: ({ client_id }) => client_id },
  { key: 'scopes', title: 'Scopes', render: ({ scopes }) => scopes.join(', ') },
  { key: 'state', title: 'State', render: ({ disabled }) => (disabled ? 'off' : 'on') },
  { key: 'user', title: 'User', render: ({ user_id }) => <Person id={user_id} /> },
  { key: 'at', title: 'Since', render: ({ created_at }) => <When at={created_at} relative /> },
]

/** Programs that get tokens by client id and secret. */
export default function Clients() {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const { data, error } = useQuery(listQuery<Client>(CLIENTS, { page, per_page: 50 }))
  const open = (client: string | undefined) => setSearch({ client })
  if (error && !data) return <ScreenFault error={error} />
  const make = (
    <Button leftSection={icons.plus} onClick={() => open(NEW)}>
      New client
    </Button>
  )
  return (
    <Page title="OAuth clients" note="Programs that get tokens at /oauth/token." actions={make}>
      <AreaTabs label="Settings" tabs={TABS} />
      {data?.data.length === 0 && page === 1 ? (
        <Empty title="No clients yet" action={make}>
          A client exchanges its id and secret for tokens that end by themselves.
        </Empty>
      ) : (
        <>
          <DataTable
            label="OAuth clients"
            rows={data?.data}
            columns={COLUMNS}
            rowKey={({ id }) => String(id)}
            open={({ id }) => open(String(id))}
          />
          <PageNumbers
            page={page}
            meta={data?.meta}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
      <Modal opened={search['client'] === NEW} onClose={() => open(undefined)} title="New client">
        <ClientForm />
      </Modal>
      <RecordDialog
        name="client"
        rows={data?.data}
        idOf={({ id }) => String(id)}
        load={async (id) => (await send<{ data: Client }>(`${CLIENTS}/${id}`)).body.data}
        titleOf={({ name, client_id }) => name ?? client_id}
      >
        {(client, close) => <ClientDetails client={client} onClose={close} />}
      </RecordDialog>
    </Page>
  )
}

function ClientForm() {
  const session = useSession()
  const plans = useQuery(
    listQuery<{ id: number; name: string }>('/api/v1/plans', { per_page: 100 }),
  )
  const [name, setName] = useState('')
  const [userId, setUserId] = useState<number | null>(session.id)
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
    <DialogForm send={make} button="Make the client">
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        error={errors['name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <UserSelect value={userId} error={errors['user_id']} onChange={setUserId} />
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
    </DialogForm>
  )
}
