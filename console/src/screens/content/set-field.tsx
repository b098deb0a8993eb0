import { Alert, Button, Group, Modal, NativeSelect, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { type ContentType, componentsQuery, pathOf, typesQuery } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { editorOf } from '../../parts/fields/index.ts'
import { refuseUnfinished } from '../../parts/not-json.ts'
import { tellDone } from '../../parts/notify.ts'
import { toBodyValue } from './form-values.ts'

interface Props {
  readonly type: ContentType
  readonly ids: readonly string[]
  readonly isDisabled: boolean
  onDone(): void
}

interface BulkAnswer {
  readonly data: readonly {
    readonly status: number
    readonly id?: number
    readonly error?: { readonly message: string }
  }[]
}

const NOT_SET = ['password', 'component', 'dynamiczone', 'uid']
const AT_ONCE = 100

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
      await setAll(type, ids, { [name]: toBodyValue({ types, components }, attribute, value) })
      tellDone(`${ids.length} entries changed`)
      onDone()
    } catch (error) {
      setFault(messageOf(error))
      setRunning(false)
    }
  }

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

async function setAll(type: ContentType, ids: readonly string[], data: object): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const operations = ids
      .slice(from, from + AT_ONCE)
      .map((id) => ({ op: 'update', id: Number(id), data }))
    const { body } = await send<BulkAnswer>(`${pathOf(type)}/bulk`, {
      method: 'POST',
      body: { operations },
    })
    const refused = body.data.find(({ error }) => error)
    if (refused) throw new Error(`#${refused.id ?? ''} ${refused.error?.message}`)
  }
}
