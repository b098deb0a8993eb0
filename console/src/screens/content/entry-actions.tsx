import { Button } from '@mantine/core'
import type { ContentType, Entry } from '../../api/content.ts'

export type Action = 'publish' | 'unpublish' | 'discard-draft'

interface ActionsProps {
  readonly type: ContentType
  readonly entry: Entry | undefined
  readonly isChanged: boolean
  readonly work: string | undefined
  run(action?: Action): Promise<void>
}

/** What can be done with the entry as it is now. */
export function Actions({ type, entry, isChanged, work, run }: ActionsProps) {
  const canSave = isChanged || !entry
  const busy = (name: string) => ({ loading: work === name, disabled: work !== undefined })
  if (!type.draftAndPublish) {
    return (
      <Button {...busy('save')} disabled={!canSave} onClick={() => void run()}>
        Save
      </Button>
    )
  }
  const isLive = entry?.status === 'published' || entry?.status === 'changed'
  return (
    <>
      {entry?.status === 'changed' && (
        <Button
          variant="subtle"
          {...busy('discard-draft')}
          onClick={() => void run('discard-draft')}
        >
          Discard changes
        </Button>
      )}
      {isLive && (
        <Button variant="default" {...busy('unpublish')} onClick={() => void run('unpublish')}>
          Unpublish
        </Button>
      )}
      <Button variant="default" {...busy('save')} disabled={!canSave} onClick={() => void run()}>
        Save draft
      </Button>
      <Button
        {...busy('publish')}
        disabled={!canSave && entry?.status === 'published'}
        onClick={() => void run('publish')}
      >
        Publish
      </Button>
    </>
  )
}
