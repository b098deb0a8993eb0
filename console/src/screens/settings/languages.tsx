import { Badge, Button, Checkbox, Group, Modal, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { changedMembers } from '../../parts/changed-members.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { NEW, RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { TABS } from './tabs.ts'

interface Locale {
  readonly code: string
  readonly name: string
  readonly isDefault: boolean
  readonly fallback: string | null
}

const LOCALES = '/api/v1/locales'
const COLUMNS: readonly Column<Locale>[] = [
  { key: 'code', title: 'Code', render: ({ code }) => code },
  {
    key: 'name',
    title: 'Name',
    render: ({ name, isDefault }) => (
      <Group gap="xs" wrap="nowrap">
        <bdi>{name}</bdi>
        {isDefault && (
          <Badge miw="max-content" variant="dot" tt="none">
            default
          </Badge>
        )}
      </Group>
    ),
  },
  { key: 'fallback', title: 'Shown instead', render: ({ fallback }) => fallback ?? '–' },
]

export default function Languages() {
  const { data, error } = useQuery(listQuery<Locale>(LOCALES))
  const [search, setSearch] = useSearchText()
  const open = (language: string | undefined) => setSearch({ language })
  if (error && !data) return <ScreenFault error={error} />
  return (
    <Page
      title="Languages"
      note="Entries of localised types can be written in each of them."
      actions={
        <Button leftSection={icons.plus} onClick={() => open(NEW)}>
          New language
        </Button>
      }
    >
      <AreaTabs label="Settings" tabs={TABS} />
      <DataTable
        label="Languages"
        rows={data?.data}
        columns={COLUMNS}
        rowKey={({ code }) => code}
        open={({ code }) => open(code)}
      />
      <Modal
        opened={search['language'] === NEW}
        onClose={() => open(undefined)}
        title="New language"
      >
        <LocaleForm locale={undefined} onDone={() => open(undefined)} />
      </Modal>
      <RecordDialog
        name="language"
        rows={data?.data}
        idOf={({ code }) => code}
        load={async (code) => (await send<{ data: Locale }>(`${LOCALES}/${code}`)).body.data}
        titleOf={({ name }) => name}
      >
        {(locale, close) => <LocaleForm locale={locale} onDone={close} />}
      </RecordDialog>
    </Page>
  )
}

function LocaleForm({ locale, onDone }: { locale: Locale | undefined; onDone(): void }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [before] = useState(locale)
  const [values, setValues] = useState<Locale>(
    locale ?? { code: '', name: '', isDefault: false, fallback: null },
  )
  const set = (change: Partial<Locale>) => setValues({ ...values, ...change })
  const refresh = async () => {
    // Entries are offered in the languages of the model.
    void queryClient.invalidateQueries({ queryKey: ['content-model'] })
    await queryClient.invalidateQueries({ queryKey: [LOCALES] })
  }
  const save = useMutation({
    mutationFn: () =>
      before
        ? send(`${LOCALES}/${before.code}`, {
            method: 'PATCH',
            body: changedMembers(before, values),
          })
        : send(LOCALES, { method: 'POST', body: values }),
    onSuccess: async () => {
      await refresh()
      tellDone('The language was saved')
      onDone()
    },
  })
  const errors = fieldErrors(save.error)
  return (
    <DialogForm
      send={save}
      button="Save"
      beside={
        locale &&
        !locale.isDefault && (
          <Button
            variant="default"
            onClick={() =>
              setAsked({
                title: `Remove ${locale.name}?`,
                message: 'Entries in this language go with it, for ever.',
                button: 'Remove',
                name: locale.code,
                run: async () => {
                  await send(`${LOCALES}/${locale.code}?force=true`, { method: 'DELETE' })
                  onDone()
                  await refresh()
                },
              })
            }
          >
            Remove
          </Button>
        )
      }
    >
      {!locale && (
        <TextInput
          label="Code"
          description="Such as fr, pt-BR or zh-Hant-TW"
          required
          data-autofocus
          value={values.code}
          error={errors['code']}
          onChange={(event) => set({ code: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Name"
        required
        value={values.name}
        error={errors['name']}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Shown instead"
        description="The language for entries without a translation"
        value={values.fallback ?? ''}
        error={errors['fallback']}
        onChange={(event) => set({ fallback: event.currentTarget.value || null })}
      />
      <Checkbox
        label="Default"
        checked={values.isDefault}
        onChange={(event) => set({ isDefault: event.currentTarget.checked })}
      />
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </DialogForm>
  )
}
