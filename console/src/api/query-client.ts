import { QueryClient } from '@tanstack/react-query'
import { ApiError, UNREACHED } from './errors.ts'

/** A refusal stays one: only what did not reach the server is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiError) || error.code === UNREACHED),
    },
  },
})
