import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { may, type Session, useSession } from '../api/session.ts'
import type { Found } from '../area.ts'
import { AREAS } from '../areas.ts'
import { useGo } from '../location.ts'
import { SEARCH_ID } from './typed-ahead.ts'

interface Group {
  readonly label: string
  readonly actions: readonly Found[]
}

const SHORTEST = 2
const WAIT_MS = 150

interface Props {
  readonly opened: boolean
  readonly text: string
  onText(text: string): void
  onClose(): void
}

/** Ctrl/Cmd-K: screens at once, and whatever the areas find of their own. */
export default function FindEverything({ opened, text, onText, onClose }: Props) {
  const [asked] = useDebouncedValue(text.trim(), WAIT_MS)
  const session = useSession()
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened])
  const go = useGo()
  const {
    data: found = [],
    isFetching,
    isPlaceholderData,
  } = useQuery({
    queryKey: ['find', asked],
    queryFn: () => findEverywhere(asked, session),
    enabled: opened && asked.length >= SHORTEST,
    placeholderData: (before) => before,
  })
  // Enter opens the first line: whoever types on must not open what was found for less.
  const isOld = isPlaceholderData || asked !== text.trim()
  const current = isOld ? found.map((group) => onlyNamed(group, text)) : found
  const groups = [screensNamed(text, session), ...(asked.length < SHORTEST ? [] : current)]
  return (
    <Spotlight
      onSpotlightClose={onClose}
      query={text}
      onQueryChange={onText}
      shortcut={null}
      attributes={{ content: { 'aria-label': 'Find anything' } }}
      scrollable
      maxHeight={420}
      filter={(_query, actions) => actions}
      nothingFound={isFetching ? 'Looking …' : 'Nothing has this name'}
      searchProps={{
        id: SEARCH_ID,
        // Whoever has typed ahead goes on behind it.
        onFocus: ({ currentTarget: { value }, currentTarget }) =>
          currentTarget.setSelectionRange(value.length, value.length),
        placeholder: 'Types, entries, keys, screens …',
        'aria-label': 'Find anything',
      }}
      actions={groups
        .filter(({ actions }) => actions.length > 0)
        .map(({ label, actions }) => ({
          group: label,
          actions: actions.map((each) => ({
            id: `${label} ${each.id}`,
            label: each.label,
            description: each.note ?? '',
            onClick: () => {
              onClose()
              go(each.to)
            },
          })),
        }))}
    />
  )
}

function screensNamed(text: string, session: Session): Group {
  const shown = AREAS.filter(({ level }) => may(session, level))
  const actions = shown.map(({ id, label, path }) => ({ id, label, to: path }))
  return onlyNamed({ label: 'Screens', actions }, text)
}

function onlyNamed({ label, actions }: Group, text: string): Group {
  const wanted = text.trim().toLowerCase()
  return { label, actions: actions.filter((each) => each.label.toLowerCase().includes(wanted)) }
}

/** An area that fails to answer must not keep the others from being found. */
async function findEverywhere(text: string, session: Session): Promise<Group[]> {
  const asked = AREAS.filter(({ level, find }) => find && may(session, level))
  return Promise.all(
    asked.map(async ({ label, find }) => {
      const actions = await find?.(text, session).catch(() => [])
      return { label, actions: actions ?? [] }
    }),
  )
}
