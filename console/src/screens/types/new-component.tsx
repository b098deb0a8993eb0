import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import type { Attributes } from '../../api/content.ts'
import { useGo } from '../../location.ts'
import { slugOf } from '../../parts/fields/uid.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { AttributeList } from './attribute-list.tsx'
import { Faults } from './faults.tsx'

export default function NewComponent() {
  const [displayName, setDisplayName] = useState('')
  const [category, setCategory] = useState('default')
  const [attributes, setAttributes] = useState<Attributes>({})
  const [fault, setFault] = useState<unknown>()
  const mayLeave = useRef(false)
  const isBegun = displayName !== '' || Object.keys(attributes).length > 0
  const client = useQueryClient()
  const go = useGo()

  async function make() {
    setFault(undefined)
    try {
      const body = { name: slugOf(displayName), displayName, category, attributes }
      await send('/api/v1/components', { method: 'POST', body })
      mayLeave.current = true
      await client.invalidateQueries({ queryKey: ['content-model'] })
      tellDone(`${displayName} is there: types can have it now`)
      go('/types')
    } catch (error) {
      setFault(error)
    }
  }

  return (
    <Page
      title="New component"
      actions={<Button onClick={() => void make()}>Make the component</Button>}
    >
      <LeaveGuard isBlocking={isBegun} mayLeave={mayLeave} />
      <Stack maw={900}>
        <Faults of={fault} />
        <Paper withBorder p="lg">
          <Group grow align="flex-end">
            <TextInput
              label="Name"
              required
              description={
                displayName === '' ? 'For people' : `Known as ${category}.${slugOf(displayName)}`
              }
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
            />
            <TextInput
              label="Category"
              description="Groups components"
              value={category}
              onChange={(event) => setCategory(event.currentTarget.value)}
            />
          </Group>
        </Paper>
        <Paper withBorder p="lg">
          <Title order={2} mb="sm">
            Attributes
          </Title>
          <AttributeList attributes={attributes} stored={{}} onChange={setAttributes} />
        </Paper>
      </Stack>
    </Page>
  )
}
