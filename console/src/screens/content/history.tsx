import { Button, Grid, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { send } from '../../api/client.ts'
import {
  type ContentType,
  componentsQuery,
  type Entry,
  entryPath,
  titleOf,
  typesQuery,
} from '../../api/content.ts'
import { useGo, useParam, useSearchText } from '../../location.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { Difference } from './difference.tsx'
import { loadWhole } from './entry.tsx'
import { type Model, toForm } from './form-values.ts'
import { HistoryLines, linesOf, type Revision, revisionBefore } from './history-lines.tsx'

/** What happened to an entry: by whom, when, what differs, and how to go back. */
export default function HistoryScreen() {
  const name = useParam('type')
  const { data: types } = useQuery(typesQuery)
  const { data: components } = useQuery(componentsQuery)
  const type = types?.find(({ pluralName }) => pluralName === name)
  if (!types || !components) return <Skeleton h={300} m="lg" />
  if (!type) return <ScreenFault error={new Error(`There is no content type ${name}`)} />
  return <History model={{ types, components }} type={type} />
}

function History({ model, type }: { model: Model; type: ContentType }) {
  const id = useParam('id')
  const go = useGo()
  const [{ locale, revision, event, against }, change] = useSearchText()
  const [asked, setAsked] = useState<Asked | null>(null)
  const detail = useRef<HTMLDivElement>(null)
  const path = entryPath(type, id)
  const current = useQuery({
    queryKey: ['history', type.uid, id, locale, 'current'],
    queryFn: () => loadWhole(model, type, id, locale),
  })
  const { data: revisions, error } = useQuery({
    queryKey: ['history', type.uid, id, locale],
    queryFn: async () =>
      (await send<{ data: Revision[] }>(`${path}/revisions`, { query: { locale } })).body.data,
  })
  const fault = error ?? current.error
  if (fault && !(revisions && current.data)) return <ScreenFault error={fault} />
  if (!revisions || !current.data) return <Skeleton h={300} m="lg" />

  const lines = linesOf(revisions)
  const chosen = lines.find(({ key }) => key === `${revision}-${event ?? 0}`) ?? lines[0]
  const of = chosen?.revision
  const before = of && revisionBefore(lines, of)
  const compared = against ?? (chosen?.isSave || of?.is_current ? 'before' : 'now')
  const back = `/content/${type.pluralName}/${id}${locale ? `?locale=${locale}` : ''}`
  const now = current.data.entry

  function askToRestore(each: Revision) {
    setAsked({
      title: 'Restore this version?',
      message: 'It becomes the working copy. Readers see it once it is published.',
      button: 'Restore',
      run: async () => {
        await send(`${path}/revisions/${each.id}/restore`, { method: 'POST', query: { locale } })
        tellDone('Restored as the working copy')
        go(back)
      },
    })
  }

  return (
    <Page
      title={`History of ${titleOf(type, now)}`}
      actions={
        <Button variant="default" onClick={() => go(back)}>
          Back to the entry
        </Button>
      }
    >
      <Grid>
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          <HistoryLines
            lines={lines}
            chosen={chosen}
            onChoose={(line) => {
              change({ revision: String(line.revision.id), event: String(line.at) })
              // On a narrow screen it stands below the list.
              requestAnimationFrame(() => detail.current?.scrollIntoView({ block: 'nearest' }))
            }}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }} ref={detail}>
          {of && (
            <Stack>
              <Group justify="space-between">
                <SegmentedControl
                  size="xs"
                  aria-label="What is compared"
                  value={compared}
                  onChange={(next) => change({ against: next })}
                  data={[
                    { value: 'before', label: 'This change' },
                    { value: 'now', label: 'Since then' },
                  ]}
                />
                {!of.is_current && (
                  <Button size="xs" variant="default" onClick={() => askToRestore(of)}>
                    Restore this version
                  </Button>
                )}
              </Group>
              {compared === 'now' ? (
                <Former {...{ model, type, path, locale, now }} chosen={of} />
              ) : (
                <Change {...{ model, type, path, locale, now, before }} chosen={of} />
              )}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

interface FormerProps {
  readonly model: Model
  readonly type: ContentType
  readonly path: string
  readonly locale: string | undefined
  readonly chosen: Revision
  readonly now: Entry
}

/** From then to now. */
function Former({ model, type, path, locale, chosen, now }: FormerProps) {
  const { data, error } = useQuery(recordOf(path, locale, chosen.id))
  if (error) return <ScreenFault error={error} />
  if (!data) return <Skeleton h={120} />
  const was = toForm(model, type.attributes, withReferences(data, now, type))
  const is = toForm(model, type.attributes, now)
  return <Difference {...{ model, type, was, is }} titles={['Then', 'Now']} />
}

/** From the version before to this one. */
function Change({ before, ...props }: FormerProps & { readonly before: Revision | undefined }) {
  const { model, type, path, locale, chosen, now } = props
  const after = useQuery(recordOf(path, locale, chosen.id))
  const former = useQuery({
    ...recordOf(path, locale, before?.id ?? 0),
    enabled: before !== undefined,
  })
  const error = after.error ?? former.error
  if (error) return <ScreenFault error={error} />
  if (!after.data || (before && !former.data)) return <Skeleton h={120} />
  const shown = (record: Entry) => toForm(model, type.attributes, withReferences(record, now, type))
  return (
    <>
      {!before && <Text c="dimmed">The oldest version that is kept.</Text>}
      <Difference
        {...{ model, type }}
        was={former.data ? shown(former.data) : {}}
        is={shown(after.data)}
        titles={['Before', 'After']}
      />
    </>
  )
}

function recordOf(path: string, locale: string | undefined, id: number) {
  return queryOptions({
    queryKey: ['revision', path, locale, id],
    queryFn: async () => {
      const address = `${path}/revisions/${id}`
      return (await send<{ data: { record: Entry } }>(address, { query: { locale } })).body.data
        .record
    },
  })
}

/** A revision names references by id only; those that are still there have their names from now. */
function withReferences(then: Entry, now: Entry, { attributes }: ContentType): Entry {
  const named = Object.entries(attributes).flatMap(([name, { type }]) => {
    if (type !== 'relation' && type !== 'media') return []
    const known = [now[name]].flat().filter((each) => each != null) as Entry[]
    const ids = then[name] === undefined ? [then[`${name}_id`]] : [then[name]].flat()
    const wanted = ids
      .filter((each) => each != null)
      .map((each) => (typeof each === 'object' ? (each as Entry).id : Number(each)))
    return [[name, wanted.map((id) => known.find((each) => each.id === id) ?? { id })] as const]
  })
  return { ...then, ...Object.fromEntries(named) }
}
