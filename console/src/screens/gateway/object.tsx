import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo, useParam } from '../../location.ts'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { BAD } from '../../parts/colours.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { icons } from '../../parts/icons.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { NotJson, parseJson, refuseUnfinished } from '../../parts/not-json.ts'
import { tellDone, tellFault } from '../../parts/notify.ts'
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
  const { data, error } = useQuery({
    ...pathQuery<GatewayObject>(path),
    enabled: !isNew,
    // Read anew when it is opened, and not under the hands of whoever changes it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error && !data) return <ScreenFault error={error} />
  if (!isNew && !data)
    return (
      <Page title={KINDS[kind].one}>
        <Skeleton height={300} />
      </Page>
    )
  const value = isNew ? (FIRST[kind] ?? {}) : own(data?.value ?? {})
  return (
    <Editor
      key={path}
      kind={kind}
      id={isNew ? undefined : id}
      index={data?.modifiedIndex}
      first={value}
    />
  )
}

interface EditorProps {
  readonly kind: Kind
  readonly id: string | undefined
  /** Of the version that is changed; none while it is being made. */
  readonly index: number | undefined
  readonly first: GatewayValue
}

function Editor({ kind, id, index, first }: EditorProps) {
  const go = useGo()
  const [name, setName] = useState(id ?? '')
  const [value, setValue] = useState(first)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [text, setText] = useState<string | null>(null)
  const mayLeave = useRef(false)
  const isChanged =
    name !== (id ?? '') ||
    JSON.stringify(value) !== JSON.stringify(first) ||
    (text !== null && text !== textOf(value))
  const { one } = KINDS[kind]
  const back = kind === 'routes' ? '/gateway' : `/gateway/${kind}`
  const refresh = () => queryClient.invalidateQueries({ queryKey: [`${ADMIN}/${kind}`] })
  const save = useMutation({
    mutationFn: async () => {
      const body = text === null ? value : JSON.parse(text)
      refuseUnfinished(body)
      // Nobody's work is overwritten unseen: neither a newer version, nor another object of that name.
      const headers = index === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${index}"` }
      if (kind === 'consumers') {
        const whole = { username: name, ...body }
        return send(`${ADMIN}/consumers`, { method: 'PUT', body: whole, headers })
      }
      if (name === '') return send(`${ADMIN}/${kind}`, { method: 'POST', body })
      return send(`${ADMIN}/${kind}/${encodeURIComponent(name)}`, { method: 'PUT', body, headers })
    },
    onSuccess: async () => {
      mayLeave.current = true
      await refresh()
      await queryClient.invalidateQueries({ queryKey: [`${ADMIN}/${kind}/${name}`] })
      tellDone(`The ${one.toLowerCase()} is in force: the next request meets it`)
      go(back)
    },
  })

  /** Text that is no JSON yet cannot be shown as a form, and is not thrown away for one. */
  function turnTo(tab: string | null) {
    if (tab === 'json') return setText(textOf(value))
    const parsed = parseJson(text ?? '')
    if (parsed instanceof NotJson) return tellFault(new Error('This is not JSON yet'))
    setValue((parsed ?? {}) as GatewayValue)
    setText(null)
  }

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
                    mayLeave.current = true
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
      <LeaveGuard isBlocking={isChanged} mayLeave={mayLeave} />
      <Stack gap="md" maw={860}>
        {save.error && (
          <Text c={BAD} size="sm" role="alert" className="wrap-anywhere">
            {faultOf(save.error, id === undefined)}
          </Text>
        )}
        <Tabs value={text === null ? 'form' : 'json'} onChange={turnTo}>
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

function textOf(value: GatewayValue): string {
  return JSON.stringify(value, null, 2)
}

/** Without what the server adds. */
function own({ id: _id, create_time: _made, update_time: _changed, ...rest }: GatewayValue) {
  return rest
}

function faultOf(error: Error, isNew: boolean): string {
  if (!(error instanceof ApiError) || error.status !== 412) return messageOf(error)
  return isNew
    ? 'There is one of this name already. Choose another name, or open that one.'
    : 'Somebody else has changed it meanwhile. Open it again to see how it is now.'
}
