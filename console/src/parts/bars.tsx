import { Box, Group, Text } from '@mantine/core'
import { countOf } from './words.ts'

interface Bar {
  /** What it stands for, such as a time. */
  readonly label: string
  readonly good: number
  readonly bad: number
}

interface Props {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly names: { readonly good: string; readonly bad: string }
}

const HEIGHT = 120
const WIDTH = 960

/** Numbers over time, drawn by hand: a library for charts would be most of the first load. */
export function Bars({ label, bars, names }: Props) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad))
  const step = WIDTH / Math.max(1, bars.length)
  const total = bars.reduce((sum, { good, bad }) => sum + good + bad, 0)
  const bad = bars.reduce((sum, each) => sum + each.bad, 0)
  return (
    <Box>
      <svg
        role="img"
        aria-label={`${label}: ${total} ${names.good}, ${bad} ${names.bad}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        height={HEIGHT}
        preserveAspectRatio="none"
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
        {bars.map((bar, index) => {
          const whole = ((bar.good + bar.bad) / most) * (HEIGHT - 4)
          const failed = (bar.bad / most) * (HEIGHT - 4)
          const box = { x: index * step + step * 0.1, width: step * 0.8 }
          return (
            <g key={bar.label}>
              <title>{`${bar.label}: ${bar.good + bar.bad} ${names.good}, ${bar.bad} ${names.bad}`}</title>
              <rect x={index * step} width={step} y={0} height={HEIGHT} fill="transparent" />
              <rect
                {...box}
                y={HEIGHT - whole}
                height={whole}
                fill="var(--mantine-primary-color-filled)"
              />
              <rect
                {...box}
                y={HEIGHT - failed}
                height={failed}
                fill="var(--mantine-color-red-6)"
              />
            </g>
          )
        })}
      </svg>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {bars[0]?.label}
        </Text>
        <Text size="xs" c="dimmed">
          {total === 0 ? 'nothing yet' : `most ${countOf(most)}`}
        </Text>
        <Text size="xs" c="dimmed">
          {bars.at(-1)?.label}
        </Text>
      </Group>
    </Box>
  )
}
