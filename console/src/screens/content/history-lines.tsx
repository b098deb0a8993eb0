import { Badge, ColorSwatch, Group, NavLink, Paper } from '@mantine/core'
import { Person } from '../../parts/person.tsx'
import { When } from '../../parts/when.tsx'

export interface Revision {
  readonly id: number
  readonly is_current: boolean
  readonly is_live: boolean
  /** The oldest first. */
  readonly events: readonly Happened[]
}

interface Happened {
  readonly event: keyof typeof WORDS
  readonly at: string
  readonly by: number | null
}

export interface Line {
  readonly key: string
  readonly revision: Revision
  /** Among the events of the revision. */
  readonly at: number
  readonly happened: Happened
  /** It made the revision: there is a difference to show. */
  readonly isSave: boolean
  /** The last that happened to the revision tells what has become of it. */
  readonly isLast: boolean
}

const WORDS = {
  create: ['Created', 'blue'],
  update: ['Saved', 'blue'],
  restore: ['Restored', 'blue'],
  discard: ['Draft discarded', 'gray'],
  publish: ['Published', 'teal'],
  unpublish: ['Unpublished', 'gray'],
  scheduled_publish: ['Published at its time', 'teal'],
  scheduled_unpublish: ['Unpublished at its time', 'gray'],
} as const

/** One for each event, the newest first. */
export function linesOf(revisions: readonly Revision[]): readonly Line[] {
  const lines = revisions.flatMap((revision) =>
    revision.events
      .map((happened, at) => ({
        key: `${revision.id}-${at}`,
        ...{ revision, at, happened },
        isSave: at === 0,
        isLast: at === revision.events.length - 1,
      }))
      .reverse(),
  )
  return lines.sort((one, other) => Date.parse(other.happened.at) - Date.parse(one.happened.at))
}

/** What the entry said when the revision was made: not a draft that had been thrown away by then. */
export function revisionBefore(lines: readonly Line[], revision: Revision): Revision | undefined {
  const made = lines.findIndex((line) => line.revision === revision && line.isSave)
  return lines.slice(made + 1).find((line) => line.revision !== revision)?.revision
}

interface Props {
  readonly lines: readonly Line[]
  readonly chosen: Line | undefined
  onChoose(line: Line): void
}

export function HistoryLines({ lines, chosen, onChoose }: Props) {
  return (
    <Paper withBorder>
      {lines.map((line) => (
        <NavLink
          key={line.key}
          component="button"
          active={line === chosen}
          leftSection={<ColorSwatch size={8} withShadow={false} color={colourOf(line)} />}
          label={wordOf(line)}
          description={
            <>
              <When at={line.happened.at} /> by{' '}
              {line.happened.by === null ? 'the server' : <Person id={line.happened.by} />}
            </>
          }
          rightSection={line.isLast && <Marks revision={line.revision} />}
          onClick={() => onChoose(line)}
        />
      ))}
    </Paper>
  )
}

function wordOf({ happened, isSave }: Line): string {
  // Times, place and whatever else belongs to no version.
  if (happened.event === 'update' && !isSave) return 'Details changed'
  return WORDS[happened.event][0]
}

function colourOf({ happened }: Line): string {
  return `var(--mantine-color-${WORDS[happened.event][1]}-6)`
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
