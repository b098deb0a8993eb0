import { Alert, Button, Group, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../api/client.ts'
import { type ContentType, pathOf } from '../../api/content.ts'
import { messageOf } from '../../api/errors.ts'
import { CopyText } from '../../parts/copy-text.tsx'
import { curl, Step } from './step.tsx'

interface Props {
  readonly type: ContentType | undefined
  readonly isReady: boolean
}

/** The key is shown this once; the command beside it works as it stands. */
export function KeyStep({ type, isReady }: Props) {
  const { data: plans = [] } = useQuery({
    queryKey: ['plans', 'offered'],
    queryFn: async () => (await ask(api.GET('/api/v1/plans'))).data,
  })
  const [planId, setPlanId] = useState<number>()
  const plan = planId ?? plans[0]?.id
  const make = useMutation({
    mutationFn: async () => {
      const body = { plan_id: plan ?? 0, name: 'First key', access: 'read' as const }
      return (await ask(api.POST('/api/v1/keys', { body }))).data.key
    },
  })
  const path = type ? pathOf(type) : '/api/v1/notes'
  return (
    <Step
      number={3}
      title="A key"
      note="Whoever has it may read what you publish, as often as its plan allows."
      isDone={make.isSuccess}
      command={curl(path, make.data ? { key: make.data } : { key: 'sk_…' })}
    >
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label="Plan"
          value={plan ?? ''}
          data={plans.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={(event) => setPlanId(Number(event.currentTarget.value))}
        />
        <Button onClick={() => make.mutate()} loading={make.isPending} disabled={!isReady}>
          Make a key
        </Button>
      </Group>
      {make.error && <Alert color="red">{messageOf(make.error)}</Alert>}
      {make.data && (
        <Alert color="teal" title="Shown this once: keep it">
          <CopyText text={make.data} label="Copy key" />
        </Alert>
      )}
    </Step>
  )
}
