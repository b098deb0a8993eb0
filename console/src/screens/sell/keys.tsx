import { Badge, Button, Modal, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { listQuery } from '../../api/lists.ts'
import { may, useSession } from '../../api/session.ts'
import { pageIn, useSearchText } from '../../location.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { NEW, RecordDialog } from '../../parts/record-dialog.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { When } from '../../parts/when.tsx'
import { KeyDetails } from './key-details.tsx'
import { NewKey } from './new-key.tsx'
import type { Key, Plan } from './records.ts'

const KEYS = '/api/v1/keys'
const plansQuery = listQuery<Plan>('/api/v1/plans', { per_page: 100 })
const COLOURS = { active: 'teal', revoked: 'red', expired: 'gray' } as const

interface Props {
  /** Whose keys; undefined: of all that one may see. */
  readonly userId: number | undefined
}

/** Keys with what they may do; opened, what they used and what can be done with them. */
export function Keys({ userId }: Props) {
  const [search, setSearch] = useSearchText()
  const page = pageIn(search)
  const query = { user_id: userId, page, per_page: 50, sort: 'id', order: 'desc' }
  const list = useQuery(listQuery<Key>(KEYS, query))
  const plans = useQuery(plansQuery)
  const offered = useOfferedPlans()
  if (list.error && !list.data) return <ScreenFault error={list.error} />
  const planOf = (id: number) => plans.data?.data.find((plan) => plan.id === id)?.name ?? `#${id}`
  const columns: readonly Column<Key>[] = [
    { key: 'name', title: 'Name', render: ({ name }) => name ?? '–' },
    {
      key: 'prefix',
      title: 'Begins with',
      render: ({ key_prefix }) => (
        <Text ff="monospace" fz="sm">
          {key_prefix === null ? '–' : `${key_prefix}…`}
        </Text>
      ),
    },
    { key: 'plan', title: 'Plan', render: ({ plan_id }) => planOf(plan_id) },
    { key: 'access', title: 'Level', render: ({ access }) => access },
    {
      key: 'status',
      title: 'State',
      render: ({ status }) => (
        <Badge miw="max-content" variant="dot" color={COLOURS[status]} tt="none">
          {status}
        </Badge>
      ),
    },
    {
      key: 'used',
      title: 'Last used',
      render: ({ last_used_at }) => <When at={last_used_at} relative />,
    },
  ]
  return (
    <>
      {list.data?.data.length === 0 && page === 1 ? (
        <Empty title="No keys yet" action={<NewKeyButton />}>
          A key opens the API for a program. It has a plan, which says how often it may call.
          {plans.data && offered.length === 0 && ' Whoever runs this server issues keys.'}
        </Empty>
      ) : (
        <>
          <DataTable
            label="Keys"
            rows={list.data?.data}
            columns={columns}
            rowKey={({ id }) => String(id)}
            open={({ id }) => setSearch({ key: String(id) })}
          />
          <PageNumbers
            page={page}
            meta={list.data?.meta}
            onGo={(to) => setSearch({ page: String(to) })}
          />
        </>
      )}
      <Modal
        opened={search['key'] === NEW}
        onClose={() => setSearch({ key: undefined })}
        title="New key"
        size="lg"
      >
        <NewKey userId={userId} plans={offered} />
      </Modal>
      <RecordDialog
        name="key"
        size="lg"
        rows={list.data?.data}
        idOf={({ id }) => String(id)}
        load={async (id) => (await send<{ data: Key }>(`${KEYS}/${id}`)).body.data}
        titleOf={({ name, key_prefix }) => `Key ${name ?? key_prefix ?? ''}`}
      >
        {(shown, close) => (
          <KeyDetails shown={shown} plans={plans.data?.data ?? []} onDone={close} />
        )}
      </RecordDialog>
    </>
  )
}

/** The plans that whoever is signed in may make keys of: others than an admin only those that are sold by themselves. */
function useOfferedPlans(): readonly Plan[] {
  const session = useSession()
  const { data } = useQuery(plansQuery)
  const plans = data?.data ?? []
  return may(session, 'admin') ? plans : plans.filter(({ keys_per_user: most = 0 }) => most > 0)
}

/** Not there for whom no plan is offered: an admin issues their keys. */
export function NewKeyButton() {
  const [, setSearch] = useSearchText()
  if (useOfferedPlans().length === 0) return null
  return (
    <Button leftSection={icons.plus} onClick={() => setSearch({ key: NEW })}>
      New key
    </Button>
  )
}
