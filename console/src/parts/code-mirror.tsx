import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { linter, lintGutter } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'

interface Props {
  readonly labelledBy: string
  readonly language: 'json' | 'javascript'
  readonly text: string
  readonly isDark: boolean
  readonly readOnly?: boolean
  onChange?(text: string): void
}

const LOOK = EditorView.theme({
  '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-scroller': { maxHeight: '26rem', overflow: 'auto' },
})

/** Readable on both grounds. */
const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#0b5a80, #7cc4e8)' },
  { tag: tags.string, color: 'light-dark(#1a6b3c, #8fd3a8)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#8a4b00, #f0b86c)' },
  { tag: tags.keyword, color: 'light-dark(#6b2fa0, #c9a3f0)' },
  { tag: tags.comment, color: 'light-dark(#57616b, #a3adb7)', fontStyle: 'italic' },
])

const parseFaults = jsonParseLinter()
/** No text is no value, and no fault. */
const faultsIn: typeof parseFaults = (view) =>
  view.state.doc.toString().trim() === '' ? [] : parseFaults(view)

/** Tab leaves the editor, so that the keyboard is never caught in it. */
export default function CodeMirror(props: Props) {
  const { labelledBy, language, text, isDark, readOnly = false } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const onChange = useRef(props.onChange)
  onChange.current = props.onChange
  const shown = useRef(text)
  shown.current = text

  // Before anything is drawn: a place that is empty for a moment moves what lies below it away from a click.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is followed below, without a new editor
  useLayoutEffect(() => {
    if (!place.current) return
    const isJson = language === 'json'
    view.current = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          syntaxHighlighting(COLOURS),
          isJson ? json() : javascript(),
          ...(isJson && !readOnly ? [linter(faultsIn), lintGutter()] : []),
          EditorView.theme({}, { dark: isDark }),
          LOOK,
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            const typed = update.state.doc.toString()
            // What has come from the form is there already.
            if (typed === shown.current) return
            // At once: the editor finds out after the event, and whoever saves by the next one must find it in the form.
            flushSync(() => onChange.current?.(typed))
          }),
        ],
      }),
    })
    return () => view.current?.destroy()
  }, [language, isDark, readOnly, labelledBy])

  useEffect(() => {
    const { current } = view
    if (!current || current.state.doc.toString() === text) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } })
  }, [text])

  return <div ref={place} />
}
