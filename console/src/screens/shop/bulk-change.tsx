import { Button, Group, List, NativeSelect, Paper, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { queryClient } from '../../api/query-client.ts'
import { BAD } from '../../parts/colours.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { PRODUCTS } from './records.ts'

interface Outcome {
  readonly index: number
  readonly status: number
  readonly error?: { readonly message?: string }
}

interface Props {
  readonly selected: ReadonlySet<string>
  onDone(): void
}

/** One value for all that are selected; each has its own outcome. */
export function BulkChange({ selected, onDone }: Props) {
  const [member, setMember] = useState('stock')
  const [value, setValue] = useState<number | null>(null)
  const ids = [...selected]
  const change = useMutation({
    mutationFn: async () => {
      const operations = ids.map((id) => ({
        op: 'update',
        id: Number(id),
        data: { [member]: value },
      }))
      const { body } = await send<{ data: readonly Outcome[] }>(`${PRODUCTS}/bulk`, {
        method: 'POST',
        body: { operations },
      })
      await queryClient.invalidateQueries({ queryKey: [PRODUCTS] })
      return body.data.map((outcome) => ({ ...outcome, id: ids[outcome.index] }))
    },
    onSuccess: (outcomes) => {
      if (outcomes.every(({ status }) => status < 400)) onDone()
    },
  })
  const failed = change.data?.filter(({ status }) => status >= 400) ?? []
  if (ids.length === 0) return null
  return (
    <Paper withBorder p="xs" mb="xs" role="region" aria-label="Selected products">
      <Group gap="xs" align="flex-end">
        <Text size="sm" fw={600}>
          {ids.length} selected: set
        </Text>
        <NativeSelect
          size="xs"
          aria-label="What is set"
          data={['stock', 'price']}
          value={member}
          onChange={(event) => setMember(event.currentTarget.value)}
        />
        <NumberField
          size="xs"
          w={110}
          min={0}
          aria-label="To what"
          value={value}
          onChange={setValue}
        />
        <Button
          size="xs"
          loading={change.isPending}
          disabled={value === null}
          onClick={() => change.mutate()}
        >
          Set
        </Button>
      </Group>
      {change.error && (
        <Text c={BAD} size="sm" role="alert">
          {messageOf(change.error)}
        </Text>
      )}
      {change.data && (
        <Text size="sm" mt="xs" role="status">
          {change.data.length - failed.length} done, {failed.length} refused
        </Text>
      )}
      <List size="sm">
        {failed.map(({ id, error }) => (
          <List.Item key={id}>
            #{id}: {error?.message ?? 'refused'}
          </List.Item>
        ))}
      </List>
    </Paper>
  )
}
