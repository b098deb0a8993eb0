import type { JsonObject } from '../../resources/values.ts'
import type { ExportFile } from '../export.ts'
import { type Item, idOf, type Note, withId } from '../items.ts'

/** The configuration as the modelled gateway loads it from a file, and as calls of its administration. */
export async function renderApisix(
  items: readonly Item[],
  notes: readonly Note[],
  masked: number,
): Promise<readonly [ExportFile, ...ExportFile[]]> {
  return [
    { name: 'apisix.yaml', text: await renderStandalone(items, masked) },
    { name: 'admin.sh', text: renderCalls(items, masked), isProgram: true },
    { name: 'differences.md', text: renderNotes(notes) },
  ]
}

/**
 * A file that does not end in `#END` is not loaded there. One with masked secrets has to be such a file: to the other
 * gateway the mask would be a password like any other, and everybody knows it.
 */
async function renderStandalone(items: readonly Item[], masked: number): Promise<string> {
  const { renderYaml } = await import('#yaml')
  const document: Record<string, JsonObject[]> = {}
  for (const item of items) {
    // There credentials stand among the consumers.
    const list = item.kind === 'credentials' ? 'consumers' : item.kind
    document[list] = [...(document[list] ?? []), withId(item)]
  }
  const end = masked === 0 ? '#END' : `# ${maskedText(masked)} It does not load as it is.`
  return `${items.length === 0 ? '' : renderYaml(document)}${end}\n`
}

const PRELUDE = `#!/bin/sh
# Stores the objects of an Entrepot gateway in Apache APISIX, each by one call of its administration.
#   APISIX_ADMIN_KEY=... sh admin.sh
set -eu
: "\${APISIX_ADMIN_URL:=http://127.0.0.1:9180/apisix/admin}"
: "\${APISIX_ADMIN_KEY:?is not set: it stands as admin_key in config.yaml of APISIX}"

# Other users of the machine see the arguments of a program, so the key is none.
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
printf 'X-API-KEY: %s\\nContent-Type: application/json\\n' "$APISIX_ADMIN_KEY" > "$headers"

put() {
  if ! answer=$(curl -sS --fail-with-body -X PUT -H "@$headers" --data-binary @- "$APISIX_ADMIN_URL/$1"); then
    echo "$1: $answer" >&2
    exit 1
  fi
  echo "$1"
}
`

function renderCalls(items: readonly Item[], masked: number): string {
  const refusal = masked === 0 ? '' : `\necho '${maskedText(masked)}' >&2\nexit 1\n`
  // JSON in one line cannot be the line that ends it.
  const calls = items.map(
    (item) => `put ${pathOf(item)} <<'JSON'\n${JSON.stringify(item.value)}\nJSON\n`,
  )
  return [PRELUDE, refusal, ...calls].join('\n')
}

/** Ids hold nothing that means anything to a shell. */
function pathOf(item: Item): string {
  switch (item.kind) {
    case 'consumers':
      return 'consumers'
    case 'credentials':
      return `consumers/${idOf(item)}`
    default:
      return `${item.kind}/${item.id}`
  }
}

function maskedText(count: number): string {
  const noun = count === 1 ? 'One secret is' : `${count} secrets are`
  return `${noun} masked; export once more with --with-secrets.`
}

function renderNotes(notes: readonly Note[]): string {
  const title = '# What differs in Apache APISIX'
  if (notes.length === 0)
    return `${title}\n\nNothing: everything that is stored has an equal there.\n`
  const lines = notes.map(
    ({ of, member, message }) => `- \`${of}\`${member === '' ? '' : ` \`${member}\``} ${message}.`,
  )
  return `${title}\n\n${lines.join('\n')}\n`
}
