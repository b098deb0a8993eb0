import { Alert, Box, Grid, Group, Paper, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import {
  type ContentType,
  type Entry,
  entryPath,
  type LoadedEntry,
  pathOf,
  saveEntry,
  titleOf,
} from '../../api/content.ts'
import { ApiError, fieldErrors, summaryOf } from '../../api/errors.ts'
import { useGo } from '../../location.ts'
import { FieldList } from '../../parts/fields/field-list.tsx'
import { asNew, defaultsOf } from '../../parts/fields/part-values.ts'
import { LeaveGuard } from '../../parts/leave-guard.tsx'
import { refuseUnfinished } from '../../parts/not-json.ts'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Conflict } from './conflict.tsx'
import { NEW } from './entry.tsx'
import { type Action, Actions } from './entry-actions.tsx'
import { EntryAside } from './entry-aside.tsx'
import { changesOf, describe, type Model, toBody, toForm, type Values } from './form-values.ts'

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
  /** Null: it is being made. */
  readonly loaded: LoadedEntry | null
  /** Begins anew with what the server has, if that is still wanted once it is there; false: it was not. */
  reload(isWanted: () => boolean): Promise<boolean>
}

export function EntryForm({ model, type, id, locale, loaded, reload }: Props) {
  const start = loaded ? toForm(model, type.attributes, loaded.entry) : startOf(type, id)
  /** What the server has, and the values that stand for it in this form. */
  const [stored, setStored] = useState(loaded)
  const [before, setBefore] = useState<Values>(start)
  const [values, setValues] = useState<Values>(start)
  const [fault, setFault] = useState<unknown>()
  const [work, setWork] = useState<'save' | Action>()
  const [isConflict, setConflict] = useState(false)
  const [beside, setBeside] = useState<Values>()
  const mayLeave = useRef(false)
  const isRunning = useRef(false)
  const latest = useRef(values)
  latest.current = values
  const client = useQueryClient()
  const go = useGo()
  const changes = changesOf(model, type.attributes, before, values)
  const isChanged = Object.keys(changes).length > 0
  const entry = stored?.entry
  const path = entryPath(type, entry?.document_id ?? id)
  const title = entry ? titleOf(type, entry) : `New ${type.displayName.toLowerCase()}`
  useHotkeys([['mod+S', () => void run()]], [], true)

  /** Saves what has changed, then does what was asked for; a fault leaves everything as it was typed. */
  async function run(action?: Action) {
    // Keys repeat faster than the page is drawn, and a new entry would be made twice.
    if (isRunning.current) return
    isRunning.current = true
    setWork(action ?? 'save')
    setFault(undefined)
    let now: LoadedEntry | undefined
    try {
      // What is discarded need not be fit to be saved.
      const isSaved = stored && (!isChanged || action === 'discard-draft')
      now = isSaved ? stored : await save()
      if (action) now = await act(now, action)
      // What was typed meanwhile is kept by going on with this form.
      const isUntouched = () => latest.current === values || action === 'discard-draft'
      if (!isUntouched() || !(await leaveFor(now.entry, isUntouched))) goOnWith(now)
      tellDone(action ? DONE[action] : 'Saved')
    } catch (error) {
      if (now && now !== stored) goOnWith(now)
      if (error instanceof ApiError && error.status === 412) setConflict(true)
      else setFault(error)
    } finally {
      isRunning.current = false
      setWork(undefined)
    }
  }

  function save(): Promise<LoadedEntry> {
    refuseUnfinished(changes)
    const body = toBody(type.attributes, values, changes)
    return entry ? change(body) : create(body)
  }

  /** From here on the form changes what was saved, whatever becomes of the rest that was asked for. */
  function goOnWith(saved: LoadedEntry) {
    setBefore(values)
    keep(saved)
  }

  /** Only what this form shows goes live or is given up. */
  function act({ entry: { document_id }, etag }: LoadedEntry, action: Action) {
    const address = `${entryPath(type, document_id)}/${action}`
    return saveEntry(address, 'POST', undefined, { query: { locale }, etag })
  }

  function keep(saved: LoadedEntry) {
    setStored(saved)
    void client.invalidateQueries({ queryKey: ['entries'] })
  }

  function change(body: Values): Promise<LoadedEntry> {
    const query = { locale, status: type.draftAndPublish ? 'draft' : undefined }
    return saveEntry(path, 'PATCH', body, { query, etag: stored?.etag ?? null })
  }

  function create(written: Values): Promise<LoadedEntry> {
    const document = id === NEW ? {} : { document_id: id }
    const body = {
      ...written,
      ...document,
      ...(locale ? { locale } : {}),
      ...(type.draftAndPublish ? { status: 'draft' } : {}),
    }
    return saveEntry(pathOf(type), 'POST', body, { query: {} })
  }

  /** What is typed stays: only the times change, and the version they belong to. */
  async function setTimes(times: Values) {
    try {
      keep(await change(times))
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) setConflict(true)
      throw error
    }
  }

  /** A new entry has its own address from now on. */
  async function leaveFor(saved: Entry, isWanted: () => boolean): Promise<boolean> {
    void client.invalidateQueries({ queryKey: ['entries'] })
    if (id !== NEW) return reload(isWanted)
    mayLeave.current = true
    go(
      `/content/${type.pluralName}/${saved.document_id}${saved.locale ? `?locale=${saved.locale}` : ''}`,
    )
    return true
  }

  return (
    <Page
      title={title}
      note={
        <Group gap="xs">
          {type.displayName}
          {entry && <StatusBadge status={entry.status} />}
          {isChanged && <Text size="sm">unsaved changes</Text>}
        </Group>
      }
      actions={<Actions type={type} entry={entry} isChanged={isChanged} work={work} run={run} />}
    >
      <LeaveGuard isBlocking={isChanged} mayLeave={mayLeave} />
      <Fault fault={fault} attributes={Object.keys(type.attributes)} />
      <Conflict
        opened={isConflict}
        model={model}
        type={type}
        id={entry?.document_id ?? id}
        locale={locale}
        before={before}
        mine={values}
        changed={Object.keys(changes)}
        onClose={() => setConflict(false)}
        onChosen={(chosen, theirs, current) => {
          setConflict(false)
          setBefore(theirs)
          setValues(chosen)
          setStored(current)
        }}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
          <Paper withBorder p={{ base: 'sm', sm: 'lg' }} radius="md">
            <FieldList
              attributes={type.attributes}
              values={values}
              errors={fieldErrors(fault)}
              isNew={entry === undefined}
              onChange={setValues}
              {...(beside ? { beside: (name: string) => <Beside value={beside[name]} /> } : {})}
            />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
          <EntryAside
            {...{ model, type, locale, entry, setTimes }}
            id={entry?.document_id ?? id}
            onBeside={setBeside}
            onFill={(from) =>
              setValues((now) => ({ ...now, ...asNew(model.components, type.attributes, from) }))
            }
          />
        </Grid.Col>
      </Grid>
    </Page>
  )
}

/** In a further language what is shared by all of them is there already. */
function startOf({ attributes }: ContentType, id: string): Values {
  const own = Object.entries(attributes).filter(
    ([, { localized }]) => id === NEW || localized !== false,
  )
  return defaultsOf(Object.fromEntries(own))
}

const DONE: Readonly<Record<Action, string>> = {
  publish: 'Published',
  unpublish: 'Taken back: readers no longer see it',
  'discard-draft': 'Back to what is published',
}

/** Faults of fields stand at them; here is what belongs to none, and how many there are. */
function Fault({
  fault,
  attributes,
}: {
  fault: unknown
  attributes: readonly string[]
}): ReactNode {
  if (fault === undefined) return null
  const shown = Object.entries(fieldErrors(fault))
  const elsewhere = shown.filter(
    ([field]) =>
      !attributes.some(
        (name) => field === name || field === `${name}_id` || field.startsWith(`${name}.`),
      ),
  )
  return (
    <Alert color="red" mb="md" title={summaryOf(fault)} role="alert">
      {elsewhere.map(([field, message]) => (
        <div key={field}>
          {field}: {message}
        </div>
      ))}
    </Alert>
  )
}

function Beside({ value }: { value: unknown }) {
  return (
    <Box pt={24}>
      <Paper
        withBorder
        p="xs"
        fz="sm"
        dir="auto"
        className="wrap-anywhere"
        style={{ whiteSpace: 'pre-wrap' }}
      >
        {describe(value)}
      </Paper>
    </Box>
  )
}
