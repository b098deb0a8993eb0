import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo, useParam } from '../../location.ts'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { BAD } from '../../parts/colours.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { ObjectFields } from './object-fields.tsx'
import { Plugins } from './plugins.tsx'
import {
  ADMIN,
  type GatewayObject,
  type GatewayValue,
  KINDS,
  type Kind,
  kindOf,
} from './records.ts'

const FIRST: Partial<Record<Kind, GatewayValue>> = {
  routes: { uri: '/', upstream: { type: 'roundrobin', nodes: { '127.0.0.1:8080': 1 } } },
  services: { upstream: { type: 'roundrobin', nodes: { '127.0.0.1:8080': 1 } } },
  upstreams: { type: 'roundrobin', nodes: { '127.0.0.1:8080': 1 } },
}

/** One object: its usual members and plugins as forms, all of it as JSON. */
export default function ObjectScreen() {
  const kind = kindOf(useParam('kind'))
  const id = decodeURIComponent(useParam('id'))
  const isNew = id === 'new'
  const path = `${ADMIN}/${kind}/${encodeURIComponent(id)}`
  const { data, error } = useQuery({ ...pathQuery<GatewayObject>(path), enabled: !isNew })
  if (error) return <ScreenFault error={error} />
  if (!isNew && !data)
    return (
      <Page title={KINDS[kind].one}>
        <Skeleton height={300} />
      </Page>
    )
  const value = isNew ? (FIRST[kind] ?? {}) : own(data?.value ?? {})
  return <Editor key={path} kind={kind} id={isNew ? undefined : id} first={value} />
}

function Editor({ kind, id, first }: { kind: Kind; id: string | undefined; first: GatewayValue }) {
  const go = useGo()
  const [name, setName] = useState(id ?? '')
  const [value, setValue] = useState(first)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [text, setText] = useState<string | null>(null)
  const { one } = KINDS[kind]
  const back = kind === 'routes' ? '/gateway' : `/gateway/${kind}`
  const refresh = () => queryClient.invalidateQueries({ queryKey: [`${ADMIN}/${kind}`] })
  const save = useMutation({
    mutationFn: async () => {
      const body = text === null ? value : JSON.parse(text)
      if (kind === 'consumers') {
        return send(`${ADMIN}/consumers`, { method: 'PUT', body: { username: name, ...body } })
      }
      if (name === '') return send(`${ADMIN}/${kind}`, { method: 'POST', body })
      return send(`${ADMIN}/${kind}/${encodeURIComponent(name)}`, { method: 'PUT', body })
    },
    onSuccess: async () => {
      await refresh()
      await queryClient.invalidateQueries({ queryKey: [`${ADMIN}/${kind}/${name}`] })
      tellDone(`The ${one.toLowerCase()} is in force: the next request meets it`)
      go(back)
    },
  })
  return (
    <Page
      title={id === undefined ? `New ${one.toLowerCase()}` : `${one} ${id}`}
      actions={
        <>
          <Button variant="default" leftSection={icons.left} onClick={() => go(back)}>
            All
          </Button>
          {id !== undefined && (
            <Button
              variant="default"
              onClick={() =>
                setAsked({
                  title: `Delete ${one.toLowerCase()} ${id}?`,
                  message:
                    'The next request no longer meets it. The history keeps it for a way back.',
                  button: 'Delete',
                  run: async () => {
                    await send(`${ADMIN}/${kind}/${encodeURIComponent(id)}`, { method: 'DELETE' })
                    await refresh()
                    go(back)
                  },
                })
              }
            >
              Delete
            </Button>
          )}
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </>
      }
    >
      <Stack gap="md" maw={860}>
        {save.error && (
          <Text c={BAD} size="sm" role="alert" className="wrap-anywhere">
            {messageOf(save.error)}
          </Text>
        )}
        <Tabs
          defaultValue="form"
          onChange={(tab) => {
            if (tab === 'json') setText(JSON.stringify(value, null, 2))
            else if (text !== null) setValue(parseOr(text, value))
            if (tab === 'form') setText(null)
          }}
        >
          <Tabs.List mb="md" aria-label="How it is edited">
            <Tabs.Tab value="form">Form</Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <Stack gap="lg">
              <ObjectFields
                kind={kind}
                isNew={id === undefined}
                name={name}
                onName={setName}
                value={value}
                onChange={setValue}
              />
              {kind !== 'upstreams' && kind !== 'ssls' && (
                <Plugins
                  isConsumer={kind === 'consumers'}
                  value={value.plugins ?? {}}
                  onChange={(plugins) => setValue({ ...value, plugins })}
                />
              )}
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="json">
            {text !== null && (
              <CodeEditor label={one} language="json" text={text} onChange={setText} />
            )}
          </Tabs.Panel>
        </Tabs>
        <Group justify="flex-end">
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Stack>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

/** Without what the server adds. */
function own({ id: _id, create_time: _made, update_time: _changed, ...rest }: GatewayValue) {
  return rest
}

function parseOr(text: string, before: GatewayValue): GatewayValue {
  try {
    return JSON.parse(text)
  } catch {
    return before
  }
}
