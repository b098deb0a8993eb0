import { Alert, Button, Group, Modal, NativeSelect, ScrollArea, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ContentType, componentsQuery, typesQuery } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { editorOf } from '../../parts/fields/index.ts'
import { refuseUnfinished } from '../../parts/not-json.ts'
import { tellDone } from '../../parts/notify.ts'
import { AT_ONCE, sendBulk } from './bulk.ts'
import { toBodyValue } from './form-values.ts'

interface Props {
  readonly type: ContentType
  readonly ids: readonly string[]
  readonly isDisabled: boolean
  onDone(): void
}

const NOT_SET = ['password', 'component', 'dynamiczone', 'uid']

/** One value for all selected entries; of types with drafts it is what is live that changes, too. */
export function SetField({ type, ids, isDisabled, onDone }: Props) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button size="xs" variant="default" disabled={isDisabled} onClick={dialog.open}>
        Set a field
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={`Set a field of ${ids.length} entries`}>
        <SetFieldForm
          type={type}
          ids={ids}
          onDone={() => {
            dialog.close()
            onDone()
          }}
        />
      </Modal>
    </>
  )
}

function SetFieldForm({ type, ids, onDone }: Omit<Props, 'isDisabled'>) {
  const names = Object.keys(type.attributes).filter(
    (name) => !NOT_SET.includes(type.attributes[name]?.type ?? ''),
  )
  const [name, setName] = useState(names[0] ?? '')
  const [value, setValue] = useState<unknown>(null)
  const [fault, setFault] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [refused, setRefused] = useState<readonly string[]>([])
  const client = useQueryClient()
  const { data: types = [] } = useQuery(typesQuery)
  const { data: components = [] } = useQuery(componentsQuery)
  const attribute = type.attributes[name]
  if (!attribute) return null
  const Editor = editorOf(attribute.type)

  async function run() {
    if (!attribute) return
    setRunning(true)
    setFault('')
    try {
      refuseUnfinished({ [name]: value })
      const data = { [name]: toBodyValue({ types, components }, attribute, value) }
      const faults = await setAll(type, ids, data)
      void client.invalidateQueries({ queryKey: ['entries'] })
      tellDone(`${ids.length - faults.length} entries changed`)
      if (faults.length === 0) onDone()
      setRefused(faults)
    } catch (error) {
      setFault(messageOf(error))
    }
    setRunning(false)
  }

  if (refused.length > 0) return <Refused of={ids.length} faults={refused} onClose={onDone} />
  return (
    <Stack>
      <NativeSelect
        label="Field"
        value={name}
        data={names}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setValue(null)
        }}
      />
      <Editor
        key={name}
        name={name}
        attribute={attribute}
        value={value}
        values={{}}
        errors={{}}
        onChange={setValue}
      />
      {fault !== '' && <Alert color="red">{fault}</Alert>}
      <Group justify="flex-end">
        <Button loading={isRunning} onClick={() => void run()}>
          Set it
        </Button>
      </Group>
    </Stack>
  )
}

interface RefusedProps {
  readonly of: number
  readonly faults: readonly string[]
  onClose(): void
}

function Refused({ of, faults, onClose }: RefusedProps) {
  return (
    <Stack>
      <Alert
        color="red"
        role="alert"
        title={`${of - faults.length} changed, ${faults.length} refused`}
      >
        <ScrollArea.Autosize mah={240} className="wrap-anywhere">
          {faults.map((fault) => (
            <div key={fault}>{fault}</div>
          ))}
        </ScrollArea.Autosize>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  )
}

/** A refused entry does not keep the others from being set. Says which were refused, and why. */
async function setAll(type: ContentType, ids: readonly string[], data: object): Promise<string[]> {
  const refused: string[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const part = ids.slice(from, from + AT_ONCE)
    try {
      const operations = part.map((id) => ({ op: 'update', id: Number(id), data }))
      const faults = await sendBulk(type, operations)
      refused.push(...[...faults].map(([index, fault]) => `#${part[index]} ${fault}`))
    } catch (error) {
      if (from === 0) throw error
      const fault = `not set: ${messageOf(error)}`
      return [...refused, ...ids.slice(from).map((id) => `#${id} ${fault}`)]
    }
  }
  return refused
}
