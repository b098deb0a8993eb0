import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors.ts'

/** A refusal stays one: only what did not reach the server is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => !(error instanceof ApiError) && count < 2,
    },
  },
})
