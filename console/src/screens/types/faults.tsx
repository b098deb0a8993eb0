import { Alert } from '@mantine/core'
import { fieldErrors, summaryOf } from '../../api/errors.ts'

/** Why a definition was refused, with the places it names; nothing while it was not. */
export function Faults({ of: fault }: { of: unknown }) {
  if (fault === undefined) return null
  return (
    <Alert color="red" role="alert" title={summaryOf(fault)}>
      {Object.entries(fieldErrors(fault)).map(([field, message]) => (
        <div key={field}>
          {field}: {message}
        </div>
      ))}
    </Alert>
  )
}
