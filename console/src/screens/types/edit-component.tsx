import { Alert, Button, Paper, Skeleton, Stack, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Attributes, type ComponentType, componentsQuery } from '../../api/content.ts'
import { fieldErrors, messageOf } from '../../api/errors.ts'
import { useGo, useParam } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { AttributeList } from './attribute-list.tsx'
import { ChangeDialog, type Impact } from './change.tsx'
import { attributeChanges, carryOut, dryRun } from './definition-change.ts'

export default function EditComponent() {
  const name = useParam('name')
  const { data: components, error } = useQuery(componentsQuery)
  if (error) return <ScreenFault error={error} />
  if (!components) return <Skeleton h={300} m="lg" />
  const component = components.find(({ uid }) => uid === name)
  if (!component) return <ScreenFault error={new Error(`There is no component ${name}`)} />
  return <ComponentForm key={JSON.stringify(component)} component={component} />
}

interface Planned {
  readonly method: 'PATCH' | 'DELETE'
  readonly body?: object
  readonly impacts: readonly Impact[]
}

function ComponentForm({ component }: { component: ComponentType }) {
  const [displayName, setDisplayName] = useState(component.displayName)
  const [attributes, setAttributes] = useState<Attributes>(component.attributes)
  const [planned, setPlanned] = useState<Planned>()
  const [fault, setFault] = useState<unknown>()
  const client = useQueryClient()
  const go = useGo()
  const path = `/api/v1/components/${component.uid}`
  const own = attributeChanges(component.attributes, attributes)
  const body = {
    ...(displayName === component.displayName ? {} : { displayName }),
    ...(Object.keys(own).length > 0 ? { attributes: own } : {}),
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
    tellDone(method === 'PATCH' ? 'The component is changed' : 'The component is gone')
    if (method === 'DELETE') go('/types')
  }

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
          onClose={() => setPlanned(undefined)}
          run={() => run(planned)}
        />
      )}
    </Page>
  )
}
