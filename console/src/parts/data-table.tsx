import { Checkbox, Group, Skeleton, Table, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { icons } from './icons.tsx'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly render: (row: Row) => ReactNode
  /** The field the API sorts by. */
  readonly sort?: string | undefined
  readonly align?: 'left' | 'right'
}

export interface Sort {
  readonly field: string
  readonly order: 'asc' | 'desc'
}

interface Props<Row> {
  /** What the table holds, for people who cannot see it. */
  readonly label: string
  /** Undefined while it is being loaded. */
  readonly rows: readonly Row[] | undefined
  readonly columns: readonly Column<Row>[]
  rowKey(row: Row): string
  open?(row: Row): void
  readonly sort?: Sort | undefined
  onSort?(sort: Sort): void
  readonly selected?: ReadonlySet<string>
  onSelect?(selected: ReadonlySet<string>): void
}

const LOADING_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

/**
 * The one table. Arrow keys move between rows, Enter opens, Space selects; Tab leaves it, so that
 * a hundred rows are one stop.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { label, rows, columns, rowKey, open, selected, onSelect } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const keys = rows?.map(rowKey) ?? []
  const isAll = keys.length > 0 && keys.every((key) => selected?.has(key))

  function toggle(key: string) {
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    onSelect?.(next)
  }

  function onKeyDown(event: KeyboardEvent<HTMLTableRowElement>, row: Row) {
    if (event.target !== event.currentTarget) return
    const { nextElementSibling: next, previousElementSibling: previous } = event.currentTarget
    if (event.key === 'ArrowDown') focus(next)
    else if (event.key === 'ArrowUp') focus(previous)
    else if (event.key === 'Home') focus(body.current?.firstElementChild)
    else if (event.key === 'End') focus(body.current?.lastElementChild)
    else if (event.key === 'Enter') open?.(row)
    else if (event.key === ' ' && onSelect) toggle(rowKey(row))
    else return
    event.preventDefault()
  }

  return (
    <Table.ScrollContainer
      minWidth={480}
      className="data-table"
      // Moved by keys: from a row, or by itself where there is none.
      scrollAreaProps={{ viewportProps: rows?.length ? {} : { tabIndex: 0 } }}
    >
      <Table highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {onSelect && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label="Select all on this page"
                  checked={isAll}
                  indeterminate={!isAll && (selected?.size ?? 0) > 0}
                  onChange={() =>
                    onSelect(
                      isAll ? without(selected, keys) : new Set([...(selected ?? []), ...keys]),
                    )
                  }
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...props} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {rows?.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={columns.length + (onSelect ? 1 : 0)} c="dimmed">
                Nothing to show
              </Table.Td>
            </Table.Tr>
          )}
          {rows?.map((row, index) => (
            <Table.Tr
              key={rowKey(row)}
              data-row
              data-opens={open ? true : undefined}
              tabIndex={index === 0 ? 0 : -1}
              data-selected={selected?.has(rowKey(row)) || undefined}
              onClick={() => open?.(row)}
              onKeyDown={(event) => onKeyDown(event, row)}
            >
              {onSelect && (
                <Table.Td onClick={(event) => event.stopPropagation()}>
                  <Checkbox
                    size="xs"
                    tabIndex={-1}
                    aria-label={`Select row ${index + 1}`}
                    checked={selected?.has(rowKey(row)) ?? false}
                    onChange={() => toggle(rowKey(row))}
                  />
                </Table.Td>
              )}
              {columns.map(({ key, render, align }) => (
                <Table.Td key={key} ta={align} dir="auto">
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          )) ?? <Loading columns={columns.length + (onSelect ? 1 : 0)} />}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Heading<Row>({ column, sort, onSort }: Props<Row> & { column: Column<Row> }) {
  const { title, sort: field, align } = column
  const order = sort?.field === field && field !== undefined ? sort?.order : undefined
  if (field === undefined || !onSort) return <Table.Th ta={align}>{title}</Table.Th>
  const ordered = order === 'asc' ? 'ascending' : 'descending'
  return (
    <Table.Th ta={align} aria-sort={order ? ordered : 'none'}>
      <UnstyledButton
        fw={600}
        fz="sm"
        onClick={() => onSort({ field, order: order === 'asc' ? 'desc' : 'asc' })}
      >
        <Group gap={4} wrap="nowrap">
          {title}
          {order && (order === 'asc' ? icons.up : icons.down)}
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

function Loading({ columns }: { columns: number }) {
  return LOADING_ROWS.map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton height={16} />
      </Table.Td>
    </Table.Tr>
  ))
}

function focus(row: Element | null | undefined): void {
  if (row instanceof HTMLElement) row.focus()
}

/** What was selected on other pages stays. */
function without(selected: ReadonlySet<string> | undefined, keys: readonly string[]): Set<string> {
  return new Set([...(selected ?? [])].filter((key) => !keys.includes(key)))
}
