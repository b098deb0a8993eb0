import { Button, Group, NativeSelect, Paper, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ContentType, localesQuery } from '../../api/content.ts'
import { ApiError } from '../../api/errors.ts'
import { useSearchText } from '../../location.ts'
import { tellFault } from '../../parts/notify.ts'
import { loadWhole, NEW } from './entry.tsx'
import { type Model, toForm, type Values } from './form-values.ts'

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
  onBeside(values: Values | undefined): void
  onFill(values: Values): void
}

/** Which language is written, and another one beside it to look at or to begin from. */
export function Languages({ model, type, id, locale, onBeside, onFill }: Props) {
  const { data: locales = [] } = useQuery(localesQuery)
  const [, change] = useSearchText()
  const [other, setOther] = useState('')
  const standard = locales.find(({ isDefault }) => isDefault)?.code ?? ''
  const current = locale ?? standard
  const options = locales.map(({ code, name }) => ({ value: code, label: name }))

  async function load(code: string): Promise<Values | undefined> {
    try {
      const { entry } = await loadWhole(model, type, id, code)
      return toForm(model, type.attributes, entry)
    } catch (error) {
      const isMissing = error instanceof ApiError && error.status === 404
      tellFault(isMissing ? new Error(`There is no entry in ${code} yet`) : error)
      return undefined
    }
  }

  return (
    <Paper withBorder p="sm" component="section" aria-label="Languages">
      <Stack gap="xs">
        <NativeSelect
          size="xs"
          label="Language"
          value={current}
          data={options}
          onChange={({ currentTarget: { value } }) => change({ locale: value })}
        />
        {id !== NEW && locales.length > 1 && (
          <>
            <NativeSelect
              size="xs"
              label="Beside it"
              value={other}
              data={[
                { value: '', label: 'nothing' },
                ...options.filter(({ value }) => value !== current),
              ]}
              onChange={async ({ currentTarget: { value } }) => {
                setOther(value)
                onBeside(value === '' ? undefined : await load(value))
              }}
            />
            <Group>
              <Button
                size="xs"
                variant="default"
                disabled={other === ''}
                onClick={async () => {
                  const from = await load(other)
                  if (from) onFill(from)
                }}
              >
                Fill from it
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  )
}
