import { Button, Paper, Skeleton, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Attributes, type ComponentType, componentsQuery } from '../../api/content.ts'
import { useParam } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { AttributeList } from './attribute-list.tsx'
import { ChangeDialog } from './change.tsx'
import { attributeChanges, isReordered } from './definition-change.ts'
import { Faults } from './faults.tsx'
import { usePlannedChange } from './use-planned-change.ts'

export default function EditComponent() {
  const name = useParam('name')
  const [round, setRound] = useState(0)
  const { data: components, error } = useQuery(componentsQuery)
  if (error && !components) return <ScreenFault error={error} />
  if (!components) return <Skeleton h={300} m="lg" />
  const component = components.find(({ uid }) => uid === name)
  if (!component) return <ScreenFault error={new Error(`There is no component ${name}`)} />
  return (
    <ComponentForm
      key={`${name} ${round}`}
      live={component}
      onChanged={() => setRound(round + 1)}
    />
  )
}

interface Props {
  /** As it is now; somebody else may have changed it. */
  readonly live: ComponentType
  onChanged(): void
}

function ComponentForm({ live, onChanged }: Props) {
  // What somebody is changing stays when the model is asked for again.
  const [component] = useState(live)
  const [displayName, setDisplayName] = useState(component.displayName)
  const [attributes, setAttributes] = useState<Attributes>(component.attributes)
  const path = `/api/v1/components/${component.uid}`
  const own = attributeChanges(component.attributes, attributes)
  const body = {
    ...(displayName === component.displayName ? {} : { displayName }),
    ...(Object.keys(own).length > 0 ? { attributes: own } : {}),
  }
  const order = isReordered(component.attributes, attributes) ? Object.keys(attributes) : undefined
  const isChanged = Object.keys(body).length > 0 || order !== undefined
  const change = usePlannedChange({ path, body, order, what: 'component', onChanged })
  const { planned, fault, plan, run, mayLeave, cancel } = change

  return (
    <Page
      title={component.displayName}
      note={`Component ${component.uid}`}
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
          <TextInput
            label="Name"
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
          />
        </Paper>
        <Paper withBorder p="lg">
          <AttributeList
            attributes={attributes}
            stored={component.attributes}
            onChange={setAttributes}
          />
        </Paper>
      </Stack>
      {planned && (
        <ChangeDialog
          title={
            planned.method === 'DELETE'
              ? `Delete ${component.displayName}?`
              : 'What this change does'
          }
          impacts={planned.impacts}
          name={component.name}
          onClose={cancel}
          run={() => run(planned)}
        />
      )}
    </Page>
  )
}
