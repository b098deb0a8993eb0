import { notifications } from '@mantine/notifications'
import { messageOf } from '../api/errors.ts'

/** Said in the corner, for what succeeded and needs nothing more. */
export function tellDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 4_000 })
}

/** For faults that belong to no field; stays until it is read. */
export function tellFault(error: unknown): void {
  notifications.show({
    title: 'That did not work',
    message: messageOf(error),
    color: 'red',
    autoClose: false,
  })
}
