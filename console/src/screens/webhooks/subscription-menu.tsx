import { Alert, Button, Group, Menu, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useGo } from '../../location.ts'
import { type Asked, Confirm } from '../../parts/confirm.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { icons } from '../../parts/icons.tsx'
import { tellDone, tellFault } from '../../parts/notify.ts'
import { ChangeSubscription } from './change-subscription.tsx'
import { SUBSCRIPTIONS, type Subscription, useSubscriptionPath } from './records.ts'

/** What is done with a subscription now and then. */
export function SubscriptionMenu({ one }: { one: Subscription }) {
  const go = useGo()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [isReplaying, setReplaying] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const { path, query } = useSubscriptionPath()

  async function change(body: object, done: string) {
    try {
      await send(path, { method: 'PATCH', query, body })
      await queryClient.invalidateQueries({ queryKey: [path] })
      tellDone(done)
    } catch (error) {
      tellFault(error)
    }
  }

  async function rotate() {
    try {
      const { body } = await send<{ secret: string }>(`${path}/rotate-secret`, {
        ...{ method: 'POST', query },
      })
      setSecret(body.secret)
    } catch (error) {
      tellFault(error)
    }
  }

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={icons.more}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setChanging(true)}>Change …</Menu.Item>
          <Menu.Item onClick={() => setReplaying(true)}>Replay a window …</Menu.Item>
          <Menu.Item onClick={() => void rotate()}>Rotate secret</Menu.Item>
          {one.is_active ? (
            <Menu.Item onClick={() => void change({ is_active: false }, 'Switched off')}>
              Switch off
            </Menu.Item>
          ) : (
            <Menu.Item onClick={() => void change({ is_active: true }, 'Switched on')}>
              Switch on
            </Menu.Item>
          )}
          <Menu.Item
            color="red"
            onClick={() =>
              setAsked({
                title: 'Delete this subscription?',
                message: `${one.endpoint_url} is told nothing any more; its deliveries are forgotten.`,
                button: 'Delete',
                run: async () => {
                  await send(path, { method: 'DELETE', query })
                  await queryClient.invalidateQueries({ queryKey: [SUBSCRIPTIONS] })
                  go('/webhooks')
                },
              })
            }
          >
            Delete …
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm asked={asked} onClose={() => setAsked(null)} />
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title="New secret">
        <Alert color="teal" title="Shown this once">
          <CopyText text={secret ?? ''} label="Copy secret" />
        </Alert>
      </Modal>
      <Modal opened={isChanging} onClose={() => setChanging(false)} title="Change the subscription">
        <ChangeSubscription one={one} onDone={() => setChanging(false)} />
      </Modal>
      <Modal opened={isReplaying} onClose={() => setReplaying(false)} title="Replay a window">
        <Replay onDone={() => setReplaying(false)} />
      </Modal>
    </>
  )
}

function Replay({ onDone }: { onDone(): void }) {
  const { path, query } = useSubscriptionPath()
  const [since, setSince] = useState(() => toLocal(Date.now() - 3_600_000))
  const [until, setUntil] = useState(() => toLocal(Date.now()))
  const [scope, setScope] = useState('failed')

  async function run() {
    try {
      const { body } = await send<{ matched: number | null }>(`${path}/replay`, {
        ...{ method: 'POST', query },
        body: {
          since: new Date(since).toISOString(),
          until: new Date(until).toISOString(),
          scope,
        },
      })
      await queryClient.invalidateQueries({ queryKey: [`${path}/deliveries`] })
      tellDone(
        body.matched === null
          ? 'The replay has begun'
          : `${body.matched} deliveries are sent again`,
      )
      onDone()
    } catch (error) {
      tellFault(error)
    }
  }

  return (
    <Stack gap="sm">
      <TextInput
        type="datetime-local"
        label="From"
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label="To"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <NativeSelect
        label="What"
        value={scope}
        data={[
          { value: 'failed', label: 'what failed' },
          { value: 'missed', label: 'what was never sent' },
          { value: 'all', label: 'everything' },
        ]}
        onChange={(event) => setScope(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button disabled={since === '' || until === ''} onClick={() => void run()}>
          Replay
        </Button>
      </Group>
    </Stack>
  )
}

/** As an input for local times wants it. */
function toLocal(ms: number): string {
  const offset = new Date(ms).getTimezoneOffset() * 60_000
  return new Date(ms - offset).toISOString().slice(0, 16)
}
