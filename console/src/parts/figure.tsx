import { Paper, Text, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { useGo } from '../location.ts'
import { BAD } from './colours.ts'

interface Props {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
  /** Below `/console`: where the number leads. */
  readonly to?: string | undefined
  readonly isBad?: boolean
}

/** One number with its meaning; it leads to where it comes from. */
export function Figure({ to, ...props }: Props) {
  return to === undefined ? <Inside {...props} /> : <Linked to={to} {...props} />
}

function Linked({ to, ...props }: Omit<Props, 'to'> & { readonly to: string }) {
  const go = useGo()
  return (
    <UnstyledButton w="100%" h="100%" onClick={() => go(to)}>
      <Inside {...props} />
    </UnstyledButton>
  )
}

function Inside({ label, value, note, isBad = false }: Omit<Props, 'to'>) {
  return (
    <Paper withBorder p="sm" h="100%">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fz="xl" fw={600} {...(isBad ? { c: BAD } : {})}>
        {value}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div" className="wrap-anywhere">
          {note}
        </Text>
      )}
    </Paper>
  )
}
