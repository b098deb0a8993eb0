import { Button, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Attributes, type ContentType, typesQuery } from '../../api/content.ts'
import { fieldErrors } from '../../api/errors.ts'
import { useParam } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { AttributeList } from './attribute-list.tsx'
import { ChangeDialog } from './change.tsx'
import { attributeChanges, calledBy, isReordered } from './definition-change.ts'
import { Faults } from './faults.tsx'
import { type Settings, TypeSettings } from './type-settings.tsx'
import { usePlannedChange } from './use-planned-change.ts'

export default function EditType() {
  const name = useParam('name')
  const [round, setRound] = useState(0)
  const { data: types, error } = useQuery(typesQuery)
  if (error && !types) return <ScreenFault error={error} />
  if (!types) return <Skeleton h={300} m="lg" />
  const type = types.find(({ singularName }) => singularName === name)
  if (!type) return <ScreenFault error={new Error(`There is no content type ${name}`)} />
  return <TypeForm key={`${name} ${round}`} live={type} onChanged={() => setRound(round + 1)} />
}

interface Props {
  /** As it is now; somebody else may have changed it. */
  readonly live: ContentType
  onChanged(): void
}

/** A change is first asked for as a dry run; what it does is shown before anything happens. */
function TypeForm({ live, onChanged }: Props) {
  // What somebody is changing stays when the model is asked for again.
  const [type] = useState(live)
  const [settings, setSettings] = useState<Settings>(() => settingsOf(type))
  const [attributes, setAttributes] = useState<Attributes>(type.attributes)
  const path = `/api/v1/content-types/${type.singularName}`
  const body = changeOf(type, settings, attributes)
  const order = isReordered(type.attributes, attributes) ? Object.keys(attributes) : undefined
  const isChanged = Object.keys(body).length > 0 || order !== undefined
  const isRenamed = settings.singularName !== type.singularName
  const { planned, fault, plan, run, mayLeave, cancel } = usePlannedChange({
    ...{ path, body, order, what: 'type' },
    movedTo: isRenamed ? `/types/${settings.singularName}` : undefined,
    onChanged,
  })

  function take(next: Attributes) {
    setAttributes(next)
    const displayField = calledBy(settings.displayField, attributes, next)
    setSettings({ ...settings, displayField })
  }

  return (
    <Page
      title={type.displayName}
      note={
        live.changing ? `Being changed: ${live.changing.join(', ')}` : `Type ${type.singularName}`
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
      <LeaveGuard isBlocking={isChanged} mayLeave={mayLeave} />
      <Stack maw={900}>
        <Faults of={fault} />
        <Paper withBorder p="lg">
          <Title order={2} mb="sm">
            Attributes
          </Title>
          <AttributeList attributes={attributes} stored={type.attributes} onChange={take} />
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
          onClose={cancel}
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
