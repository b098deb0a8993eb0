import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { router } from './router.tsx'
import { closeOneByEscape } from './shell/escape.ts'
import { SessionGate } from './shell/session-gate.tsx'
import { theme } from './theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root')

closeOneByEscape()
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
