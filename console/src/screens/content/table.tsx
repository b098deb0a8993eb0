import { Button, Group, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type ContentType,
  type Entry,
  listEntries,
  localesQuery,
  typesQuery,
} from '../../api/content.ts'
import { useGo, useParam, useSearchText } from '../../location.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { renderCell } from './cell.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { parseConditions, renderConditions } from './conditions.ts'
import { ExportMenu } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { columnsOf, columnTitle, isSortable, sortOf, toListQuery } from './list-query.ts'
import { ViewMenu } from './view-menu.tsx'

export default function ContentTable() {
  const name = useParam('type')
  const { data: types, error } = useQuery(typesQuery)
  if (error && !types) return <ScreenFault error={error} />
  const type = types?.find(({ pluralName, singularName }) =>
    [pluralName, singularName].includes(name),
  )
  if (!types) return null
  if (!type) return <ScreenFault error={new Error(`There is no content type ${name}`)} />
  return <EntryTable key={type.uid} type={type} />
}

/** All of its state is in the URL, and every page is one request of at most a hundred rows. */
function EntryTable({ type }: { type: ContentType }) {
  const [search, change] = useSearchText()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isImporting, importing] = useDisclosure(false)
  const go = useGo()
  const query = toListQuery(type, search)
  const { data, error, refetch } = useQuery({
    queryKey: ['entries', type.uid, query.toString()],
    queryFn: ({ signal }) => listEntries(type, query, signal),
    placeholderData: keepPreviousData,
  })
  const filterBy = (patch: Record<string, string | undefined>) =>
    change({ ...patch, cursor: undefined })
  const isNarrowed = Boolean(search['q'] || search['filter'] || search['status'])
  const to = (id: string | number) => `/content/${type.pluralName}/${id}`

  return (
    <Page
      title={type.displayName}
      note={type.description || undefined}
      actions={
        <>
          <Button variant="default" leftSection={icons.upload} onClick={importing.open}>
            Import
          </Button>
          <ExportMenu type={type} query={query} />
          <Button leftSection={icons.plus} onClick={() => go(to('new'))}>
            New {type.displayName.toLowerCase()}
          </Button>
        </>
      }
    >
      {isImporting && (
        <ImportDialog type={type} onClose={importing.close} onDone={() => void refetch()} />
      )}
      <Group gap="xs" mb="xs">
        <SearchBox
          label="Search in entries"
          placeholder="Search"
          text={search['q']}
          onChange={(q) => filterBy({ q })}
        />
        {type.draftAndPublish && (
          <NativeSelect
            size="xs"
            aria-label="State"
            value={search['status'] ?? 'all'}
            data={['all', 'published', 'changed', 'draft']}
            onChange={({ currentTarget: { value } }) =>
              filterBy({ status: value === 'all' ? undefined : value })
            }
          />
        )}
        {type.localized && (
          <LocaleSelect locale={search['locale']} onChange={(locale) => filterBy({ locale })} />
        )}
        <FilterBar
          type={type}
          conditions={parseConditions(search['filter'])}
          onChange={(conditions) => filterBy({ filter: renderConditions(conditions) })}
        />
        <ColumnMenu
          type={type}
          columns={columnsOf(type, search)}
          onChange={(columns) => change({ columns: columns.join(',') })}
        />
        <ViewMenu area={`content/${type.pluralName}`} search={search} onChosen={change} />
      </Group>
      <BulkBar
        type={type}
        selected={selected}
        onDone={() => {
          setSelected(new Set())
          void refetch()
        }}
        onClear={() => setSelected(new Set())}
      />
      {error && (
        <ScreenFault
          error={error}
          reset={() => change({ filter: undefined, cursor: undefined, sort: undefined })}
        />
      )}
      {data?.data.length === 0 ? (
        <Nothing type={type} isNarrowed={isNarrowed} onNew={() => go(to('new'))} />
      ) : (
        !error && (
          <DataTable
            label={type.displayName}
            rows={data?.data}
            rowKey={({ id }) => String(id)}
            columns={columnsOf(type, search).map((column) => ({
              key: column,
              title: columnTitle(type, column),
              sort: isSortable(type, column) ? column : undefined,
              render: (entry: Entry) => renderCell(entry, column, type.attributes[column]),
            }))}
            open={({ document_id, locale }) =>
              go(`${to(document_id)}${locale ? `?locale=${locale}` : ''}`)
            }
            sort={sortOf(type, search)}
            onSort={({ field, order }) => filterBy({ sort: field, order })}
            selected={selected}
            onSelect={setSelected}
          />
        )
      )}
      <Group justify="flex-end" gap="xs" mt="xs">
        <NativeSelect
          size="xs"
          aria-label="Rows on a page"
          value={search['per_page'] ?? '50'}
          data={['20', '50', '100']}
          onChange={({ currentTarget: { value } }) => filterBy({ per_page: value })}
        />
        <Pager
          previous={data?.meta.prev_cursor}
          next={data?.meta.next_cursor}
          onGo={(cursor) => change({ cursor })}
        />
      </Group>
    </Page>
  )
}

interface LocaleProps {
  readonly locale: string | undefined
  onChange(locale: string | undefined): void
}

function LocaleSelect({ locale, onChange }: LocaleProps) {
  const { data: locales = [] } = useQuery(localesQuery)
  const standard = locales.find(({ isDefault }) => isDefault)?.code
  return (
    <NativeSelect
      size="xs"
      aria-label="Language"
      value={locale ?? standard ?? ''}
      data={locales.map(({ code, name }) => ({ value: code, label: name }))}
      onChange={({ currentTarget: { value } }) => onChange(value === standard ? undefined : value)}
    />
  )
}

interface NothingProps {
  readonly type: ContentType
  readonly isNarrowed: boolean
  onNew(): void
}

function Nothing({ type, isNarrowed, onNew }: NothingProps) {
  if (isNarrowed)
    return <Empty title="Nothing fits">Take away a filter or search for other words.</Empty>
  return (
    <Empty
      title={`No entries of ${type.displayName} yet`}
      action={<Button onClick={onNew}>Write the first one</Button>}
    >
      Entries are what your API serves. Once published they are read at{' '}
      <code>/api/v1/{type.pluralName}</code>.
    </Empty>
  )
}
