import { Button, Paper, Stack, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import type { Attributes } from '../../api/content.ts'
import { fieldErrors } from '../../api/errors.ts'
import { useGo } from '../../location.ts'
import { slugOf } from '../../parts/fields/uid.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { AttributeList } from './attribute-list.tsx'
import { calledBy } from './definition-change.ts'
import { Faults } from './faults.tsx'
import { type Settings, TypeSettings } from './type-settings.tsx'

const BLANK: Settings = {
  displayName: '',
  singularName: '',
  pluralName: '',
  description: '',
  kind: 'collectionType',
  displayField: null,
  draftAndPublish: true,
  localized: false,
  publicRead: false,
}

export default function NewType() {
  const [settings, setSettings] = useState(BLANK)
  const [attributes, setAttributes] = useState<Attributes>({})
  const [fault, setFault] = useState<unknown>()
  const mayLeave = useRef(false)
  const isBegun = settings.displayName !== '' || Object.keys(attributes).length > 0
  const client = useQueryClient()
  const go = useGo()

  /** The other names follow the first until they are written. */
  function change(next: Settings) {
    const old = slugOf(settings.displayName)
    const slug = slugOf(next.displayName)
    const follows = (name: string, made: string) => name === '' || name === made
    setSettings({
      ...next,
      singularName: follows(next.singularName, old) ? slug : next.singularName,
      pluralName: follows(next.pluralName, old && `${old}s`) ? slug && `${slug}s` : next.pluralName,
    })
  }

  /** Entries are called by their first line of text until another field was chosen. */
  function take(next: Attributes) {
    setAttributes(next)
    const [first = null] = Object.entries(next).find(([, { type }]) => type === 'string') ?? []
    const displayField = calledBy(settings.displayField, attributes, next) ?? first
    setSettings({ ...settings, displayField })
  }

  async function make() {
    setFault(undefined)
    try {
      await send('/api/v1/content-types', { method: 'POST', body: { ...settings, attributes } })
      mayLeave.current = true
      await client.invalidateQueries({ queryKey: ['content-model'] })
      tellDone(`${settings.displayName} is there, in every interface`)
      go(`/content/${settings.pluralName}`)
    } catch (error) {
      setFault(error)
    }
  }

  return (
    <Page title="New type" actions={<Button onClick={() => void make()}>Make the type</Button>}>
      <LeaveGuard isBlocking={isBegun} mayLeave={mayLeave} />
      <Stack maw={900}>
        <Faults of={fault} />
        <Paper withBorder p="lg">
          <TypeSettings
            settings={settings}
            attributes={attributes}
            errors={fieldErrors(fault)}
            onChange={change}
          />
        </Paper>
        <Paper withBorder p="lg">
          <Title order={2} mb="sm">
            Attributes
          </Title>
          <AttributeList attributes={attributes} stored={{}} onChange={take} />
        </Paper>
      </Stack>
    </Page>
  )
}
