import '@mantine/tiptap/styles.css'
import { Link, RichTextEditor } from '@mantine/tiptap'
import { useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { useEffect } from 'react'
import { flushSync } from 'react-dom'

export interface MarkupEditorProps {
  readonly name: string
  readonly html: string
  /** Nodes have no line across the page. */
  readonly isOfBlocks?: boolean
  onChange(html: string): void
}

/** Formatted text; Ctrl-B, Ctrl-I and the like work as everywhere. */
export default function MarkupEditor({
  name,
  html,
  isOfBlocks = false,
  onChange,
}: MarkupEditorProps) {
  const editor = useEditor({
    extensions: [
      StarterKit.configure({ link: false, ...(isOfBlocks ? { horizontalRule: false } : {}) }),
      Link,
    ],
    content: html,
    editorProps: { attributes: { 'aria-label': name, dir: 'auto' } },
    // At once: the editor finds out after the event, and whoever saves by the next one must find it in the form.
    onUpdate: (update) => flushSync(() => onChange(update.editor.getHTML())),
  })
  useEffect(() => {
    // A screen that is left may end the editor before this runs.
    if (!editor || editor.isDestroyed || editor.isFocused) return
    if (editor.getHTML() !== html) editor.commands.setContent(html, { emitUpdate: false })
  }, [editor, html])
  return (
    <RichTextEditor editor={editor}>
      <RichTextEditor.Toolbar>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.Bold />
          <RichTextEditor.Italic />
          <RichTextEditor.Underline />
          <RichTextEditor.Strikethrough />
          <RichTextEditor.Code />
        </RichTextEditor.ControlsGroup>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.H2 />
          <RichTextEditor.H3 />
          <RichTextEditor.BulletList />
          <RichTextEditor.OrderedList />
          <RichTextEditor.Blockquote />
          {isOfBlocks ? <RichTextEditor.CodeBlock /> : <RichTextEditor.Hr />}
        </RichTextEditor.ControlsGroup>
        <RichTextEditor.ControlsGroup>
          <RichTextEditor.Link />
          <RichTextEditor.Unlink />
        </RichTextEditor.ControlsGroup>
      </RichTextEditor.Toolbar>
      <RichTextEditor.Content mih={160} />
    </RichTextEditor>
  )
}
