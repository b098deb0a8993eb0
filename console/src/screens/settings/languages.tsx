import { Badge, Button, Checkbox, Group, Modal, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
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
  const [edited, setEdited] = useState<Locale | 'new' | null>(null)
  if (error && !data) return <ScreenFault error={error} />
  return (
    <Page
      title="Languages"
      note="Entries of localised types can be written in each of them."
      actions={
        <Button leftSection={icons.plus} onClick={() => setEdited('new')}>
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
        open={setEdited}
      />
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={edited === 'new' ? 'New language' : (edited?.name ?? '')}
      >
        {edited && (
          <LocaleForm
            locale={edited === 'new' ? undefined : edited}
            onDone={() => setEdited(null)}
          />
        )}
      </Modal>
    </Page>
  )
}

function LocaleForm({ locale, onDone }: { locale: Locale | undefined; onDone(): void }) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const [values, setValues] = useState(
    locale ?? { code: '', name: '', isDefault: false, fallback: null },
  )
  const set = (change: Partial<Locale>) => setValues({ ...values, ...change })
  const refresh = async () => {
    // Entries are offered in the languages of the model.
    void queryClient.invalidateQueries({ queryKey: ['content-model'] })
    await queryClient.invalidateQueries({ queryKey: [LOCALES] })
  }
  const save = useMutation({
    mutationFn: () => {
      const { code, name, isDefault, fallback } = values
      const body = { name, isDefault, fallback, ...(locale ? {} : { code }) }
      const path = locale ? `${LOCALES}/${locale.code}` : LOCALES
      return send(path, { method: locale ? 'PATCH' : 'POST', body })
    },
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
                  await refresh()
                  onDone()
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
