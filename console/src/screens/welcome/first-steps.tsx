import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ContentType, typesQuery } from '../../api/content.ts'
import { Page } from '../../parts/page.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { EntryStep } from './entry-step.tsx'
import { KeyStep } from './key-step.tsx'
import { TypeStep } from './type-step.tsx'

/** A type, an entry, a key: afterwards the shown command reads the entry over the API. */
export default function FirstSteps() {
  const { data: types, error } = useQuery(typesQuery)
  const [chosen, setChosen] = useState<ContentType>()
  const [isWritten, setWritten] = useState(false)
  if (error && !types) return <ScreenFault error={error} />
  if (!types) return null
  const type = types.find(({ uid }) => uid === chosen?.uid)
  return (
    <Page title="First steps" note="Three steps from an empty server to your first request.">
      <Stack maw={760} gap="lg">
        <TypeStep types={types} chosen={type} onChosen={setChosen} />
        <EntryStep type={type} onWritten={() => setWritten(true)} />
        <KeyStep type={type} isReady={isWritten} />
        <Text size="sm" c="dimmed">
          Commands of the first two steps take the key that the first start printed, as{' '}
          <code>$ENTREPOT_KEY</code>.
        </Text>
      </Stack>
    </Page>
  )
}
