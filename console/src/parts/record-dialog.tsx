import { Modal, type ModalProps, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useSearchText } from '../location.ts'
import { ScreenFault } from './screen-fault.tsx'

/** In place of an id: one is being made, in a dialog of its own. */
export const NEW = 'new'

interface Props<Row> {
  /** What the URL calls the open record. */
  readonly name: string
  /** What the list shows; undefined while it is being loaded. */
  readonly rows: readonly Row[] | undefined
  readonly size?: ModalProps['size']
  idOf(row: Row): string
  /** Of a record that the list does not show. */
  load(id: string): Promise<Row>
  titleOf(row: Row): string
  children(row: Row, close: () => void): ReactNode
}

/** The record that the URL says is open: a link leads to it also when the list shows others. */
export function RecordDialog<Row>(props: Props<Row>) {
  const { name, rows, size = 'md', idOf, load, titleOf, children } = props
  const [search, setSearch] = useSearchText()
  const id = search[name] === NEW ? undefined : search[name]
  const listed = rows?.find((row) => idOf(row) === id)
  const { data, error } = useQuery({
    queryKey: ['open', name, id],
    queryFn: () => load(id ?? ''),
    enabled: id !== undefined && rows !== undefined && listed === undefined,
  })
  const record = listed ?? data
  const close = () => setSearch({ [name]: undefined })
  return (
    <Modal
      opened={id !== undefined}
      onClose={close}
      title={record ? titleOf(record) : ''}
      size={size}
    >
      {id !== undefined &&
        (record ? (
          <Fragment key={id}>{children(record, close)}</Fragment>
        ) : error ? (
          <ScreenFault error={error} />
        ) : (
          <Skeleton h={120} />
        ))}
    </Modal>
  )
}
