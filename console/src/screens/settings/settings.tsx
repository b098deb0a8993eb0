import {
  Accordion,
  Badge,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors, messageOf } from '../../api/errors.ts'
import { recordQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { NotJson, parseJson } from '../../parts/not-json.ts'
import { tellDone } from '../../parts/notify.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { TABS } from './tabs.ts'

interface Member {
  readonly name: string
  readonly value: unknown
  readonly origin: 'default' | 'file' | 'environment' | 'stored'
  readonly summary: string
  readonly expects: string
  readonly schema: { readonly secret?: boolean }
}

interface SettingsArea {
  readonly area: string
  readonly members: readonly Member[]
}

const SETTINGS = '/api/v1/settings'
/** What people call them; one that is missing has the name of the file's group. */
const AREAS: Readonly<Record<string, string>> = {
  delivery: 'Content delivery',
  jsonapi: 'JSON:API',
  content: 'Content',
  graphql: 'GraphQL',
  limits: 'Limits',
  webhooks: 'Webhooks',
  scrapers: 'Scrapers',
}

/** Settings that hold at once, each with its meaning and where its value comes from. */
export default function Settings() {
  const [search, setSearch] = useSearchText()
  const { data, error } = useQuery(recordQuery<readonly SettingsArea[]>(SETTINGS))
  if (error && !data) return <ScreenFault error={error} />
  return (
    <Page
      title="Settings"
      note="What is changed here holds at once, on all nodes, without a restart."
    >
      <AreaTabs label="Settings" tabs={TABS} />
      <Accordion
        variant="separated"
        value={search['area'] ?? null}
        onChange={(area) => setSearch({ area: area ?? undefined })}
      >
        {data?.data.map(({ area, members }) => (
          <Accordion.Item key={area} value={area}>
            <Accordion.Control>
              <Group gap="xs">
                {AREAS[area] ?? area}
                <Text size="xs" c="dimmed">
                  {countsOf(members)}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="md" maw={640}>
                {members.map((member) => (
                  <Setting key={member.name} area={area} member={member} />
                ))}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Page>
  )
}

function countsOf(members: readonly Member[]): string {
  const changed = members.filter(({ origin }) => origin === 'stored').length
  const all = members.length === 1 ? 'one setting' : `${members.length} settings`
  return changed === 0 ? all : `${all}, ${changed} changed here`
}

function Setting({ area, member }: { area: string; member: Member }) {
  const { name, summary, origin, expects } = member
  /** Undefined: as it is stored, also when another tab changes it. */
  const [typed, setTyped] = useState<unknown>()
  const value = typed === undefined ? member.value : typed
  const isChanged = !isSame(value, member.value)
  // Null would forget what is stored.
  const isUnfinished = value instanceof NotJson || value === null
  const save = useMutation({
    mutationFn: (next: unknown) =>
      send(`${SETTINGS}/${area}`, { method: 'PATCH', body: { [name]: next } }),
    onSuccess: async (_answer, stored) => {
      await queryClient.invalidateQueries({ queryKey: [SETTINGS] })
      setTyped((now: unknown) => (isSame(now, stored) ? undefined : now))
      tellDone(`${area}.${name} was stored`)
    },
  })
  const shared = {
    label: name,
    description: `${summary} (${expects})`,
    error: save.error ? (fieldErrors(save.error)[name] ?? messageOf(save.error)) : undefined,
  }
  return (
    <Stack gap={4}>
      <ValueInput shared={shared} member={member} value={value} onChange={setTyped} />
      <Group gap="xs">
        <Badge
          miw="max-content"
          variant="dot"
          tt="none"
          color={origin === 'stored' ? 'blue' : 'gray'}
        >
          {origin}
        </Badge>
        {isChanged && !isUnfinished && (
          <Button size="compact-xs" loading={save.isPending} onClick={() => save.mutate(value)}>
            Store
          </Button>
        )}
        {origin === 'stored' && !isChanged && (
          <Button size="compact-xs" variant="subtle" onClick={() => save.mutate(null)}>
            Forget the stored value
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

interface InputProps {
  readonly member: Member
  readonly shared: {
    readonly label: string
    readonly description: string
    readonly error: string | undefined
  }
  readonly value: unknown
  onChange(value: unknown): void
}

function ValueInput({ shared, member, value, onChange }: InputProps) {
  const { schema, value: stored } = member
  if (schema.secret) {
    return (
      <PasswordInput
        {...shared}
        autoComplete="new-password"
        placeholder={stored === null ? undefined : 'stored; never shown'}
        value={value === stored ? '' : String(value ?? '')}
        onChange={(event) => onChange(event.currentTarget.value || stored)}
      />
    )
  }
  switch (typeof stored) {
    case 'boolean':
      return (
        <Checkbox
          {...shared}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return <NumberField {...shared} value={value as number | null} onChange={onChange} />
    case 'string':
      return (
        <TextInput
          {...shared}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    default:
      return stored === null ? (
        <TextInput
          {...shared}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.currentTarget.value || null)}
        />
      ) : (
        <JsonInput shared={shared} value={value} onChange={onChange} />
      )
  }
}

function JsonInput({ shared, value, onChange }: Omit<InputProps, 'member'>) {
  const [text, setText] = useState(JSON.stringify(value))
  // Another tab has set it.
  if (!(value instanceof NotJson) && !isSame(parseJson(text), value)) setText(JSON.stringify(value))
  return (
    <TextInput
      {...shared}
      ff="monospace"
      value={text}
      error={value instanceof NotJson ? 'This is not JSON yet' : shared.error}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed)
        onChange(parseJson(typed))
      }}
    />
  )
}
