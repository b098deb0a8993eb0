import {
  Anchor,
  Button,
  Center,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { signIn } from '../api/session.ts'

interface Props {
  readonly email?: string
  onDone(): Promise<void>
}

const KeyUsage = lazy(() => import('../screens/sell/key-usage.tsx'))

/** By e-mail and password; whoever only has a key sees what the key has used. */
export function SignInPage({ onDone }: Props) {
  const [isByKey, setByKey] = useState(
    () => new URLSearchParams(location.search).get('by') === 'key',
  )
  if (isByKey) {
    return (
      <Suspense>
        <KeyUsage onSignIn={() => setByKey(false)} />
      </Suspense>
    )
  }
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w={380} maw="100%" gap="lg">
        <div>
          <Title order={1} fz={28}>
            Entrepot
          </Title>
          <Text c="dimmed">Content as an API: written, kept, published and sold here.</Text>
        </div>
        <Paper withBorder p="lg" radius="md">
          <SignInForm onDone={onDone} />
        </Paper>
        <Text size="sm" c="dimmed">
          The first start printed an e-mail address and a password.{' '}
          <Anchor href="/docs">API reference</Anchor> ·{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => setByKey(true)}>
            Usage of a key
          </Anchor>
        </Text>
      </Stack>
    </Center>
  )
}

export function SignInForm({ email: known = '', onDone }: Props) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState('')
  const [isRunning, setRunning] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setRunning(true)
    setFault('')
    try {
      await signIn(email, password)
      await onDone()
    } catch (error) {
      setFault(messageOf(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="E-mail"
          type="text"
          inputMode="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          data-autofocus={known === '' ? true : undefined}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault}
          data-autofocus={known === '' ? undefined : true}
        />
        <Button type="submit" loading={isRunning} mt="xs">
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
