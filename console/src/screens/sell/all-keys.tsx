import { Button, Group, Pill } from '@mantine/core'
import { useState } from 'react'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Keys } from './keys.tsx'
import { TABS } from './records.ts'

export default function AllKeys() {
  const [search, setSearch] = useSearchText()
  const [isOpen, setOpen] = useState(false)
  const userId = search['user_id']
  return (
    <Page
      title="Keys"
      note="Whoever has a key calls the API with it."
      actions={
        <Button leftSection={icons.plus} onClick={() => setOpen(true)}>
          New key
        </Button>
      }
    >
      <AreaTabs label="Sell" tabs={TABS} />
      {userId !== undefined && (
        <Group mb="sm">
          <Pill
            withRemoveButton
            removeButtonProps={{ 'aria-label': 'Show the keys of all users' }}
            onRemove={() => setSearch({ user_id: undefined, page: undefined })}
          >
            User {userId}
          </Pill>
        </Group>
      )}
      <Keys
        userId={userId === undefined ? undefined : Number(userId)}
        isOpen={isOpen}
        onOpen={setOpen}
      />
    </Page>
  )
}
