import { Paper, Typography } from '@mantine/core'
import markdownIt from 'markdown-it'

/** Markup inside markdown is shown as text, so that nothing in it can run. */
const markdown = markdownIt({ html: false, linkify: true })

export default function MarkdownPreview({ text }: { text: string }) {
  return (
    <Paper withBorder p="sm">
      <Typography dir="auto">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made above without any markup of the author */}
        <div dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />
      </Typography>
    </Paper>
  )
}
