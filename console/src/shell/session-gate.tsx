import { Center, Loader, Modal } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { onSessionRefused } from '../api/client.ts'
import { refreshLevel, sessionQuery } from '../api/session.ts'
import { ScreenFault } from '../parts/screen-fault.tsx'
import { SignInForm, SignInPage } from './sign-in.tsx'

/**
 * Nobody passes without a session. One that ends while somebody works is renewed over the screen,
 * which stays as it is with all that was typed.
 */
export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const [isOver, setOver] = useState(false)

  useEffect(
    () =>
      onSessionRefused((status) => {
        if (status === 401) setOver(client.getQueryData(sessionQuery.queryKey) != null)
        // What may not be done any more is not shown.
        else void refreshLevel()
      }),
    [client],
  )

  async function goOn() {
    // Not what somebody is writing on: a newer version is noticed when it is saved.
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'entry' })
    setOver(false)
  }

  // Once somebody is in, nothing takes away the screen they write on.
  if (error && !session) return <ScreenFault error={error} reset={() => void refetch()} />
  if (session === undefined) {
    return (
      <Center h="100vh">
        <Loader size="sm" />
      </Center>
    )
  }
  if (session === null) return <SignInPage onDone={goOn} />
  return (
    <>
      {children}
      {/* Not there before: it would lie below a dialog that was opened later. */}
      {isOver && (
        <Modal
          opened
          onClose={() => {}}
          withCloseButton={false}
          title="Your session has ended"
          centered
        >
          <SignInForm email={session.email} onDone={goOn} />
        </Modal>
      )}
    </>
  )
}
