import { Group, Pill } from '@mantine/core'
import { useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { Page } from '../../parts/page.tsx'
import { Keys, NewKeyButton } from './keys.tsx'
import { TABS } from './records.ts'

export default function AllKeys() {
  const [search, setSearch] = useSearchText()
  const userId = search['user_id']
  return (
    <Page title="Keys" note="Whoever has a key calls the API with it." actions={<NewKeyButton />}>
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
      <Keys userId={userId === undefined ? undefined : Number(userId)} />
    </Page>
  )
}
