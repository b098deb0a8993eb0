import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { MarkupEditorProps } from './markup-editor.tsx'

const Editor = lazy(() => import('./markup-editor.tsx'))

/** That of an empty editor: what lies below must not move away from a click when it comes. */
const EMPTY_HEIGHT = 209

/** The editor of formatted text, loaded when one is shown. */
export function MarkupEditor(props: MarkupEditorProps) {
  return (
    <Suspense fallback={<Skeleton h={EMPTY_HEIGHT} />}>
      <Editor {...props} />
    </Suspense>
  )
}
