import { Anchor, Box, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { send } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { LastHour } from './last-hour.tsx'
import { LiveFigures } from './live-figures.tsx'

/** For this tab only, and never part of a URL. */
const KEPT_AS = 'entrepot.usage.key'
/** They name a key wherever it is listed; the rest is secret. */
const SHOWN = 8

/** What a key has used, for somebody who has the key and no account. */
export default function KeyUsage({ onSignIn }: { onSignIn(): void }) {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEPT_AS))
  useEffect(() => {
    document.title = 'Usage · Entrepot'
  }, [])

  function use(next: string | null) {
    if (next === null) sessionStorage.removeItem(KEPT_AS)
    else sessionStorage.setItem(KEPT_AS, next)
    setKey(next)
  }

  return (
    <Box component="main" p={{ base: 'sm', sm: 'lg' }} maw={960} mx="auto">
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={1}>Usage</Title>
          <Text c="dimmed" size="sm">
            {key === null ? 'What a key has used, live.' : `Key ${key.slice(0, SHOWN)}…`}
          </Text>
        </div>
        <Group gap="xs">
          {key !== null && (
            <Button variant="default" onClick={() => use(null)}>
              Use another key
            </Button>
          )}
          <Button variant="default" onClick={onSignIn}>
            Sign in
          </Button>
        </Group>
      </Group>
      {key === null ? (
        <KeyForm onKey={use} />
      ) : (
        <Stack gap="md">
          <LiveFigures key={key} secret={key} onRefused={() => use(null)} />
          <LastHour secret={key} />
        </Stack>
      )}
      <Text size="sm" c="dimmed" mt="lg">
        <Anchor href="/docs">API reference</Anchor>
      </Text>
    </Box>
  )
}

/** Asked once before it is kept, so that a wrong key is told where it was typed. */
function KeyForm({ onKey }: { onKey(key: string): void }) {
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const [isRunning, setRunning] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setRunning(true)
    setFault('')
    try {
      await send('/api/v1/usage', { headers: { 'x-api-key': text.trim() } })
      onKey(text.trim())
    } catch (error) {
      setFault(messageOf(error))
      setRunning(false)
    }
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={480}>
        <PasswordInput
          label="API key"
          description="It stays in this tab and is forgotten when the tab is closed"
          placeholder="sk_…"
          autoComplete="off"
          required
          value={text}
          error={fault}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" w="fit-content" loading={isRunning}>
          Show usage
        </Button>
      </Stack>
    </form>
  )
}
