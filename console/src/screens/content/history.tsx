import {
  Badge,
  Button,
  Grid,
  Group,
  NavLink,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
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
import { Empty } from '../../parts/empty.tsx'
import { tellDone } from '../../parts/notify.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { Difference } from './difference.tsx'
import { loadWhole } from './entry.tsx'
import { type Model, toForm } from './form-values.ts'
import { personQuery } from './people.ts'

interface Revision {
  readonly id: number
  readonly saved_at: string
  readonly saved_by: number | null
  readonly is_current: boolean
  readonly is_live: boolean
}

/** What an entry said before: by whom, when, what differs from now, and how to go back. */
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
  const [{ locale, revision, against = 'now' }, change] = useSearchText()
  const [asked, setAsked] = useState<Asked | null>(null)
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
  const chosen = revisions?.find((each) => String(each.id) === revision)
  // The newest is the first.
  const before = chosen && revisions?.[revisions.indexOf(chosen) + 1]
  const back = `/content/${type.pluralName}/${id}${locale ? `?locale=${locale}` : ''}`

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

  if (error ?? current.error) return <ScreenFault error={error ?? current.error} />
  if (!revisions || !current.data) return <Skeleton h={300} m="lg" />
  return (
    <Page
      title={`History of ${titleOf(type, current.data.entry)}`}
      actions={
        <Button variant="default" onClick={() => go(back)}>
          Back to the entry
        </Button>
      }
    >
      {revisions.length === 0 ? (
        <Empty title="No former versions">Every save keeps one; the latest ten stay.</Empty>
      ) : (
        <Grid>
          <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
            <Paper withBorder>
              {revisions.map((each) => (
                <NavLink
                  key={each.id}
                  component="button"
                  active={each.id === chosen?.id}
                  label={<When at={each.saved_at} />}
                  description={<Person id={each.saved_by} />}
                  rightSection={<Marks revision={each} />}
                  onClick={() => change({ revision: String(each.id) })}
                />
              ))}
            </Paper>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
            {chosen ? (
              <Stack>
                <Group justify="space-between">
                  <SegmentedControl
                    size="xs"
                    aria-label="What is compared"
                    value={against}
                    onChange={(next) => change({ against: next })}
                    data={[
                      { value: 'now', label: 'Since then' },
                      { value: 'before', label: 'This change' },
                    ]}
                  />
                  <Button
                    size="xs"
                    disabled={chosen.is_current}
                    onClick={() => askToRestore(chosen)}
                  >
                    Restore this version
                  </Button>
                </Group>
                {against === 'now' ? (
                  <Former {...{ model, type, path, locale, chosen }} now={current.data.entry} />
                ) : (
                  <Change
                    {...{ model, type, path, locale, chosen, before }}
                    now={current.data.entry}
                  />
                )}
              </Stack>
            ) : (
              <Text c="dimmed">
                Choose a version to see what it changed, and what has changed since then.
              </Text>
            )}
          </Grid.Col>
        </Grid>
      )}
      <Confirm asked={asked} onClose={() => setAsked(null)} />
    </Page>
  )
}

function Marks({ revision }: { revision: Revision }) {
  return (
    <Group gap={4}>
      {revision.is_live && (
        <Badge color="teal" variant="dot" tt="none">
          live
        </Badge>
      )}
      {revision.is_current && (
        <Badge variant="dot" tt="none">
          now
        </Badge>
      )}
    </Group>
  )
}

function Person({ id }: { id: number | null }) {
  const { data } = useQuery(personQuery(id))
  if (id === null) return 'by the server'
  return `by ${data ?? `user ${id}`}`
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
