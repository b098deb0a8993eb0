import { Button, Paper, Skeleton, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Attributes, type ComponentType, componentsQuery } from '../../api/content.ts'
import { useParam } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { AttributeList } from './attribute-list.tsx'
import { ChangeDialog } from './change.tsx'
import { attributeChanges } from './definition-change.ts'
import { Faults } from './faults.tsx'
import { usePlannedChange } from './use-planned-change.ts'

export default function EditComponent() {
  const name = useParam('name')
  const { data: components, error } = useQuery(componentsQuery)
  if (error && !components) return <ScreenFault error={error} />
  if (!components) return <Skeleton h={300} m="lg" />
  const component = components.find(({ uid }) => uid === name)
  if (!component) return <ScreenFault error={new Error(`There is no component ${name}`)} />
  return <ComponentForm key={JSON.stringify(component)} component={component} />
}

function ComponentForm({ component }: { component: ComponentType }) {
  const [displayName, setDisplayName] = useState(component.displayName)
  const [attributes, setAttributes] = useState<Attributes>(component.attributes)
  const path = `/api/v1/components/${component.uid}`
  const own = attributeChanges(component.attributes, attributes)
  const body = {
    ...(displayName === component.displayName ? {} : { displayName }),
    ...(Object.keys(own).length > 0 ? { attributes: own } : {}),
  }
  const change = usePlannedChange({ path, body, what: 'component' })
  const { planned, fault, plan, run, cancel } = change

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
          <Button disabled={Object.keys(body).length === 0} onClick={() => void plan('PATCH')}>
            Review the change
          </Button>
        </>
      }
    >
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
          <AttributeList attributes={attributes} onChange={setAttributes} />
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
