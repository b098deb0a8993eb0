import { Paper, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ContentType, typesQuery } from '../../api/content.ts'
import { useGo } from '../../location.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'

const SIZE = 900
const RADIUS = 330
const BOX = { width: 150, height: 40 }

interface Edge {
  readonly from: string
  readonly to: string
  readonly name: string
}

/** Types in a circle with an arrow for each relation; the other side of a relation is not drawn twice. */
export default function Graph() {
  const { data: types } = useQuery(typesQuery)
  const go = useGo()
  if (!types) return <Skeleton h={400} m="lg" />
  const at = new Map(types.map((type, index) => [type.singularName, placeOf(index, types.length)]))
  return (
    <Page
      title="Relations"
      note="An arrow leads from the type that has the attribute to the one it names."
    >
      {types.length === 0 && (
        <Empty title="No types yet">
          Types that name each other by a relation are drawn here, with an arrow for each.
        </Empty>
      )}
      {/* Moved sideways on a phone, where it would be too small to read. */}
      <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} hidden={types.length === 0}>
        <svg
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          style={{ display: 'block', width: '100%', minWidth: 640, maxHeight: '75vh' }}
        >
          <title>Relations between types</title>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" fill="var(--quiet)" />
            </marker>
          </defs>
          {types.flatMap(edgesOf).map((edge) => (
            <Arrow key={`${edge.from} ${edge.name}`} edge={edge} at={at} />
          ))}
          {types.map(({ uid, singularName, displayName }) => {
            const place = at.get(singularName)
            if (!place) return null
            return (
              <a
                key={uid}
                href={`/console/types/${singularName}`}
                onClick={(event) => {
                  event.preventDefault()
                  go(`/types/${singularName}`)
                }}
              >
                <rect
                  x={place.x - BOX.width / 2}
                  y={place.y - BOX.height / 2}
                  {...BOX}
                  rx={6}
                  fill="var(--raised)"
                  stroke="var(--mantine-primary-color-filled)"
                />
                <text
                  x={place.x}
                  y={place.y + 5}
                  textAnchor="middle"
                  fontSize={15}
                  fill="var(--mantine-color-text)"
                >
                  {displayName.length > 17 ? `${displayName.slice(0, 16)}…` : displayName}
                </text>
              </a>
            )
          })}
        </svg>
      </Paper>
    </Page>
  )
}

interface Place {
  readonly x: number
  readonly y: number
}

function Arrow({ edge, at }: { edge: Edge; at: ReadonlyMap<string, Place> }) {
  const from = at.get(edge.from)
  const to = at.get(edge.to)
  if (!from || !to) return null
  const dx = to.x - from.x
  const dy = to.y - from.y
  // Ends at the edge of the box, not in its middle.
  const reach = Math.max(Math.abs(dx) / (BOX.width / 2), Math.abs(dy) / (BOX.height / 2), 1)
  const share = 1 - 1 / reach - 0.01
  const end = { x: from.x + dx * share, y: from.y + dy * share }
  return (
    <g>
      <line
        x1={from.x}
        y1={from.y}
        x2={end.x}
        y2={end.y}
        stroke="var(--quiet)"
        markerEnd="url(#arrow)"
      />
      <text
        x={from.x + dx * 0.42}
        y={from.y + dy * 0.42 - 4}
        fontSize={12}
        textAnchor="middle"
        fill="var(--quiet)"
        // A rim, so that lines do not run through the word.
        stroke="var(--mantine-color-body)"
        strokeWidth={5}
        paintOrder="stroke"
      >
        {edge.name}
      </text>
    </g>
  )
}

function edgesOf({ singularName, attributes }: ContentType): Edge[] {
  const named = Object.entries(attributes).flatMap(([name, { type, target, mappedBy }]) =>
    type === 'relation' && target && mappedBy === undefined ? [{ name, target }] : [],
  )
  // One arrow for all relations between the same two.
  return [...Map.groupBy(named, ({ target }) => target)].map(([to, all]) => ({
    from: singularName,
    to,
    name: all.map(({ name }) => name).join(', '),
  }))
}

function placeOf(index: number, count: number): Place {
  const angle = (index / count) * 2 * Math.PI - Math.PI / 2
  return { x: SIZE / 2 + RADIUS * Math.cos(angle), y: SIZE / 2 + RADIUS * Math.sin(angle) }
}
