import {
  Badge,
  Button,
  Group,
  Modal,
  NativeSelect,
  PasswordInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { changedMembers } from '../../parts/changed-members.ts'
import { BAD } from '../../parts/colours.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { NEW, RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { When } from '../../parts/when.tsx'
import { TABS, type User } from './records.ts'

const USERS = '/api/v1/users'

const COLUMNS: readonly Column<User>[] = [
  { key: 'email', title: 'E-mail', sort: 'email', render: ({ email }) => email },
  { key: 'name', title: 'Name', render: ({ name }) => name ?? '–' },
  {
    key: 'access',
    title: 'Level',
    render: ({ access }) => (
      <Badge
        miw="max-content"
        variant="dot"
        tt="none"
        color={access === 'admin' ? 'grape' : 'gray'}
      >
        {access}
      </Badge>
    ),
  },
  {
    key: 'status',
    title: 'State',
    render: ({ status }) => (status === 'active' ? 'active' : <Text c={BAD}>disabled</Text>),
  },
  {
    key: 'created',
    title: 'Since',
    sort: 'created_at',
    render: ({ created_at }) => <When at={created_at} relative />,
  },
]

export default function Users() {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const list = useQuery(listQuery<User>(USERS, { q: search['q'], page, per_page: 50 }))
  if (list.error && !list.data) return <ScreenFault error={list.error} />
  const open = (user: string | undefined) => setSearch({ user })
  return (
    <Page
      title="Users"
      note="Whoever signs in or has keys."
      actions={
        <Button leftSection={icons.plus} onClick={() => open(NEW)}>
          New user
        </Button>
      }
    >
      <AreaTabs label="Sell" tabs={TABS} />
      <Group mb="sm">
        <SearchBox
          label="Search users"
          placeholder="Search e-mail and name"
          text={search['q']}
          onChange={(q) => setSearch({ q, page: undefined })}
        />
      </Group>
      <DataTable
        label="Users"
        rows={list.data?.data}
        columns={COLUMNS}
        rowKey={({ id }) => String(id)}
        open={({ id }) => open(String(id))}
      />
      <PageNumbers
        page={page}
        meta={list.data?.meta}
        onGo={(to) => setSearch({ page: String(to) })}
      />
      <Modal opened={search['user'] === NEW} onClose={() => open(undefined)} title="New user">
        <UserForm user={undefined} onDone={() => open(undefined)} />
      </Modal>
      <RecordDialog
        name="user"
        rows={list.data?.data}
        idOf={({ id }) => String(id)}
        load={async (id) => (await send<{ data: User }>(`${USERS}/${id}`)).body.data}
        titleOf={({ email }) => email}
      >
        {(user, close) => <UserForm user={user} onDone={close} />}
      </RecordDialog>
    </Page>
  )
}

function UserForm({ user, onDone }: { user: User | undefined; onDone(): void }) {
  const go = useGo()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [before] = useState({
    email: user?.email ?? '',
    name: user?.name ?? '',
    access: user?.access ?? 'read',
    status: user?.status ?? 'active',
    password: '',
  })
  const [values, setValues] = useState(before)
  const set = (change: Partial<typeof values>) => setValues({ ...values, ...change })
  const save = useMutation({
    mutationFn: () => {
      const { email, access } = values
      const given = { ...(user ? {} : { email, access }), ...changedMembers(before, values) }
      const body = { ...given, ...(given.name === '' ? { name: null } : {}) }
      const path = user ? `${USERS}/${user.id}` : USERS
      return send(path, { method: user ? 'PATCH' : 'POST', body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [USERS] })
      tellDone('The user was saved')
      onDone()
    },
  })
  const errors = fieldErrors(save.error)
  return (
    <DialogForm
      send={save}
      button="Save"
      beside={
        user && (
          <>
            <Button variant="default" onClick={() => go(`/sell/keys?user_id=${user.id}`)}>
              Keys
            </Button>
            <Button
              variant="default"
              onClick={() =>
                setAsked({
                  title: `Delete ${user.email}?`,
                  message:
                    'All keys stop at once and subscriptions end. Usage and invoices of the past stay.',
                  button: 'Delete',
                  name: user.email,
                  run: async () => {
                    await send(`${USERS}/${user.id}`, { method: 'DELETE' })
                    onDone()
                    await queryClient.invalidateQueries({ queryKey: [USERS] })
                  },
                })
              }
            >
              Delete
            </Button>
          </>
        )
      }
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        data-autofocus
        value={values.email}
        error={errors['email']}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <TextInput
        label="Name"
        value={values.name}
        error={errors['name']}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label="Level"
        description="read: buys. write: writes content. admin: everything."
        data={['read', 'write', 'admin']}
        value={values.access}
        error={errors['access']}
        onChange={(event) => set({ access: event.currentTarget.value as User['access'] })}
      />
      {user && (
        <NativeSelect
          label="State"
          data={['active', 'disabled']}
          value={values.status}
          onChange={(event) => set({ status: event.currentTarget.value as User['status'] })}
        />
      )}
      <PasswordInput
        label={user ? 'New password' : 'Password'}
        description="Needed to sign in; keys work without one"
        autoComplete="new-password"
        value={values.password}
        error={errors['password']}
        onChange={(event) => set({ password: event.currentTarget.value })}
      />
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </DialogForm>
  )
}
