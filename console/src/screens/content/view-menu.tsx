import { ActionIcon, Button, Checkbox, Group, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ask } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import type { SearchText } from '../../location.ts'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'

interface Props {
  /** What is listed, such as `content/articles`. */
  readonly area: string
  readonly search: SearchText
  onChosen(search: SearchText): void
}

/** What a view keeps of the URL; the page one is on is not part of it. */
const KEPT = ['q', 'status', 'locale', 'filter', 'columns', 'sort', 'order', 'per_page']

/** Lists as somebody wants to see them again, kept on the server: own ones and those that are shared. */
export function ViewMenu({ area, search, onChosen }: Props) {
  const [isOpen, dialog] = useDisclosure(false)
  const client = useQueryClient()
  const { data: views = [] } = useQuery({
    queryKey: ['views', area],
    queryFn: async () =>
      (await ask(api.GET('/api/v1/views', { params: { query: { area } } }))).data,
  })
  const refresh = () => client.invalidateQueries({ queryKey: ['views', area] })

  async function remove(id: number) {
    try {
      await api.DELETE('/api/v1/views/{id}', { params: { path: { id: String(id) } } })
      await refresh()
    } catch (error) {
      tellFault(error)
    }
  }

  return (
    <>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={icons.star}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map(({ id, name, query, shared }) => (
            <Group key={id} gap={4} wrap="nowrap">
              <Menu.Item onClick={() => onChosen(toSearch(query))}>
                {name}
                {shared ? ' (shared)' : ''}
              </Menu.Item>
              <ActionIcon
                variant="subtle"
                aria-label={`Delete the view ${name}`}
                onClick={() => void remove(id)}
              >
                {icons.trash}
              </ActionIcon>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item leftSection={icons.plus} onClick={dialog.open}>
            Save this view
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isOpen} onClose={dialog.close} title="Save this view">
        <SaveView
          area={area}
          query={Object.fromEntries(
            KEPT.flatMap((name) => (search[name] ? [[name, search[name]]] : [])),
          )}
          onSaved={async (name) => {
            dialog.close()
            tellDone(`The view ${name} is saved`)
            await refresh()
          }}
        />
      </Modal>
    </>
  )
}

interface SaveProps {
  readonly area: string
  readonly query: Record<string, unknown>
  onSaved(name: string): Promise<void>
}

function SaveView({ area, query, onSaved }: SaveProps) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [fault, setFault] = useState('')

  async function save(event: FormEvent) {
    event.preventDefault()
    try {
      await api.POST('/api/v1/views', { body: { area, name, query, shared: isShared } })
      await onSaved(name)
    } catch (error) {
      setFault(messageOf(error))
    }
  }

  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label="Name of the view"
          required
          data-autofocus
          value={name}
          error={fault}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox
          label="Everybody who writes sees it"
          checked={isShared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        <Button type="submit">Save</Button>
      </Stack>
    </form>
  )
}

/** Whatever the view does not say is as if it had never been chosen. */
function toSearch(query: Record<string, unknown>): SearchText {
  return Object.fromEntries([
    ['cursor', undefined],
    ...KEPT.map((name) => [name, typeof query[name] === 'string' ? query[name] : undefined]),
  ])
}
