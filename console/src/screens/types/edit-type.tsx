import { Alert, Button, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Attributes, type ContentType, typesQuery } from '../../api/content.ts'
import { fieldErrors, messageOf } from '../../api/errors.ts'
import { useGo, useParam } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { AttributeList } from './attribute-list.tsx'
import { ChangeDialog, type Impact } from './change.tsx'
import { attributeChanges, carryOut, dryRun } from './definition-change.ts'
import { type Settings, TypeSettings } from './type-settings.tsx'

export default function EditType() {
  const name = useParam('name')
  const { data: types, error } = useQuery(typesQuery)
  if (error) return <ScreenFault error={error} />
  if (!types) return <Skeleton h={300} m="lg" />
  const type = types.find(({ singularName }) => singularName === name)
  if (!type) return <ScreenFault error={new Error(`There is no content type ${name}`)} />
  return <TypeForm key={JSON.stringify(type)} type={type} />
}

interface Planned {
  readonly method: 'PATCH' | 'DELETE'
  readonly body?: object
  readonly impacts: readonly Impact[]
}

/** A change is first asked for as a dry run; what it does is shown before anything happens. */
function TypeForm({ type }: { type: ContentType }) {
  const [settings, setSettings] = useState<Settings>(() => settingsOf(type))
  const [attributes, setAttributes] = useState<Attributes>(type.attributes)
  const [planned, setPlanned] = useState<Planned>()
  const [fault, setFault] = useState<unknown>()
  const client = useQueryClient()
  const go = useGo()
  const path = `/api/v1/content-types/${type.singularName}`
  const body = changeOf(type, settings, attributes)
  const isChanged = Object.keys(body).length > 0

  /** Entries are called by a field that is renamed under its new name, and by none that is gone. */
  function take(next: Attributes) {
    setAttributes(next)
    const { displayField } = settings
    if (displayField === null || displayField in next) return
    const [renamed] = Object.entries(next).find(([, own]) => own.renamedFrom === displayField) ?? []
    setSettings({ ...settings, displayField: renamed ?? null })
  }

  async function plan(method: Planned['method']) {
    setFault(undefined)
    try {
      const sent = method === 'PATCH' ? { body } : {}
      setPlanned({ method, ...sent, impacts: await dryRun(path, method, sent.body) })
    } catch (error) {
      setFault(error)
    }
  }

  async function run({ method, body: sent }: Planned) {
    await carryOut(path, method, sent)
    await client.invalidateQueries({ queryKey: ['content-model'] })
    setPlanned(undefined)
    tellDone(method === 'PATCH' ? 'The type is changed' : 'The type is gone')
    if (method === 'DELETE') go('/types')
    else if (settings.singularName !== type.singularName) go(`/types/${settings.singularName}`)
  }

  return (
    <Page
      title={type.displayName}
      note={
        type.changing ? `Being changed: ${type.changing.join(', ')}` : `Type ${type.singularName}`
      }
      actions={
        <>
          <Button
            variant="subtle"
            color="red"
            leftSection={icons.trash}
            onClick={() => void plan('DELETE')}
          >
            Delete
          </Button>
          <Button disabled={!isChanged} onClick={() => void plan('PATCH')}>
            Review the change
          </Button>
        </>
      }
    >
      <Stack maw={900}>
        {fault !== undefined && (
          <Alert color="red" role="alert" title={messageOf(fault)}>
            {Object.entries(fieldErrors(fault)).map(([field, message]) => (
              <div key={field}>
                {field}: {message}
              </div>
            ))}
          </Alert>
        )}
        <Paper withBorder p="lg">
          <Title order={2} mb="sm">
            Attributes
          </Title>
          <AttributeList attributes={attributes} onChange={take} />
        </Paper>
        <Paper withBorder p="lg">
          <TypeSettings
            settings={settings}
            attributes={attributes}
            errors={fieldErrors(fault)}
            onChange={setSettings}
          />
        </Paper>
      </Stack>
      {planned && (
        <ChangeDialog
          title={
            planned.method === 'DELETE' ? `Delete ${type.displayName}?` : 'What this change does'
          }
          impacts={planned.impacts}
          name={type.singularName}
          onClose={() => setPlanned(undefined)}
          run={() => run(planned)}
        />
      )}
    </Page>
  )
}

function settingsOf(type: ContentType): Settings {
  const { displayName, singularName, pluralName, description, kind, displayField } = type
  const { draftAndPublish, localized, publicRead } = type
  return {
    displayName,
    singularName,
    pluralName,
    description,
    kind,
    displayField,
    draftAndPublish,
    localized,
    publicRead,
  }
}

function changeOf(type: ContentType, settings: Settings, attributes: Attributes): object {
  const before = new Map(Object.entries(settingsOf(type)))
  const changed = Object.entries(settings).filter(([name, value]) => before.get(name) !== value)
  const own = attributeChanges(type.attributes, attributes)
  return {
    ...Object.fromEntries(changed),
    ...(Object.keys(own).length > 0 ? { attributes: own } : {}),
  }
}
