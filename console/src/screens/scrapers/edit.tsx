import { Button, Grid, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import { fieldErrors, messageOf } from '../../api/errors.ts'
import { pathQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo, useParam } from '../../location.ts'
import { CodeEditor } from '../../parts/code-editor.tsx'
import { BAD } from '../../parts/colours.ts'
import { icons } from '../../parts/icons.tsx'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { NotJson, parseJson } from '../../parts/not-json.ts'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { cronWords } from './cron-words.ts'
import { Preview } from './preview.tsx'
import { type Definition, SCRAPERS, type Scraper } from './records.ts'
import { Rules } from './rules.tsx'

const FIRST: Definition = { name: '', url: 'https://', extract: { mode: 'auto', fields: {} } }
const ASSIGNED = ['id', 'status', 'next_run_at', 'user_id', 'created_at', 'updated_at']

/** The rules beside what they find on one page. */
export default function Edit() {
  const id = useParam('id')
  const isNew = id === 'new'
  const { data, error } = useQuery({
    ...pathQuery<Scraper>(`${SCRAPERS}/${id}`),
    enabled: !isNew,
    // Read anew when it is opened, and not under the hands of whoever changes it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (error && !data) return <ScreenFault error={error} />
  if (!isNew && !data)
    return (
      <Page title="Scraper">
        <Skeleton height={300} />
      </Page>
    )
  return <Editor key={id} id={isNew ? undefined : id} first={isNew || !data ? FIRST : own(data)} />
}

function Editor({ id, first }: { id: string | undefined; first: Definition }) {
  const go = useGo()
  const [definition, setDefinition] = useState(first)
  const [rest, setRest] = useState(() => textOf(restOf(first)))
  const isChanged =
    JSON.stringify(definition) !== JSON.stringify(first) || rest !== textOf(restOf(first))
  const mayLeave = useRef(false)
  const set = (change: Partial<Definition>) => setDefinition({ ...definition, ...change })
  const whole = (): Definition => {
    const { name, url, schedule, extract } = definition
    const others = parseJson(rest)
    if (others instanceof NotJson) throw new Error('Everything else is not JSON yet')
    const shown = { name, url, schedule: schedule || null, ...(extract ? { extract } : {}) }
    return { ...(others ?? {}), ...shown }
  }
  const save = useMutation({
    mutationFn: async () => {
      const path = id === undefined ? SCRAPERS : `${SCRAPERS}/${id}`
      const method = id === undefined ? 'POST' : 'PATCH'
      const body = id === undefined ? whole() : changeOf(first, whole())
      return (await send<Scraper>(path, { method, body })).body
    },
    onSuccess: async (saved) => {
      mayLeave.current = true
      await queryClient.invalidateQueries({ queryKey: [SCRAPERS] })
      await queryClient.invalidateQueries({ queryKey: [`${SCRAPERS}/${saved.id}`] })
      tellDone('The scraper was saved')
      go(`/scrapers/${saved.id}`)
    },
  })
  const errors = fieldErrors(save.error)
  return (
    <Page
      title={id === undefined ? 'New scraper' : definition.name}
      actions={
        <>
          <Button
            variant="default"
            leftSection={icons.left}
            onClick={() => go(id === undefined ? '/scrapers' : `/scrapers/${id}`)}
          >
            Back
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </>
      }
    >
      <LeaveGuard isBlocking={isChanged} mayLeave={mayLeave} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="sm">
            <TextInput
              label="Name"
              required
              value={definition.name}
              error={errors['name']}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              label="Begins at"
              required
              value={definition.url}
              error={errors['url']}
              onChange={(event) => set({ url: event.currentTarget.value })}
            />
            <TextInput
              label="Schedule"
              placeholder="0 6 * * *"
              description={cronWords(definition.schedule, definition.timezone)}
              value={definition.schedule ?? ''}
              error={errors['schedule']}
              onChange={(event) => set({ schedule: event.currentTarget.value })}
            />
            <Rules extract={definition.extract ?? {}} onChange={(extract) => set({ extract })} />
            <CodeEditor
              label="Everything else"
              description="How far it goes (crawl), where it writes (output), headers, rate"
              language="json"
              text={rest}
              onChange={setRest}
            />
            {save.error && (
              <Text c={BAD} size="sm" role="alert">
                {messageOf(save.error)}
              </Text>
            )}
            <Group justify="flex-end">
              <Button loading={save.isPending} onClick={() => save.mutate()}>
                Save
              </Button>
            </Group>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Preview definition={whole} />
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function own(scraper: Scraper): Definition {
  const members = Object.entries(scraper).filter(([name]) => !ASSIGNED.includes(name))
  return { ...FIRST, ...Object.fromEntries(members) }
}

const OF_MEMBERS = ['crawl', 'output']

/**
 * Only what was changed: what others have changed meanwhile stays. What was taken out of the text goes back to what it
 * is by itself.
 */
function changeOf(before: object, after: object): object {
  const was = new Map<string, unknown>(Object.entries(before))
  const is = new Map<string, unknown>(Object.entries(after))
  const names = new Set([...was.keys(), ...is.keys()])
  const changed = [...names].flatMap((name) => {
    const [old, fresh = null] = [was.get(name), is.get(name)]
    if (JSON.stringify(old) === JSON.stringify(fresh)) return []
    const isNested = OF_MEMBERS.includes(name) && isObject(old) && isObject(fresh)
    return [[name, isNested ? changeOf(old, fresh) : fresh]]
  })
  return Object.fromEntries(changed)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function textOf(rest: object): string {
  return JSON.stringify(rest, null, 2)
}

function restOf({ name: _n, url: _u, schedule: _s, extract: _e, ...rest }: Definition) {
  return rest
}
