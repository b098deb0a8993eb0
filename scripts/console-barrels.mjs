// Imports from the index file of a component library become imports of the component's own file. The
// bundler counts every file behind an index as needed by all who import from it, so that the first load
// would hold the components of every screen.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const LIBRARIES = ['@mantine/core', '@mantine/hooks']
const OF_INDEX = /import\s*\{([^}]*)\}\s*from\s*["'](@mantine\/(?:core|hooks))["'];?/g
const IMPORTING =
  /(console\/src\/.*\.tsx?|node_modules\/@(mantine\/(charts|dates|dropzone|notifications|spotlight|tiptap)|rjsf\/mantine)\/.*\.m?js)$/

/** For esbuild. */
export function withoutIndexes(root) {
  const files = new Map(LIBRARIES.map((library) => [library, filesOf(root, library)]))
  return {
    name: 'without-indexes',
    setup(build) {
      build.onLoad({ filter: IMPORTING }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const contents = text.replace(OF_INDEX, (_all, names, library) =>
          split(names, library, files.get(library)),
        )
        return {
          contents,
          loader: path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js',
        }
      })
    },
  }
}

/** Which file each name of the library comes from. */
function filesOf(root, library) {
  const index = join(root, 'node_modules', library, 'esm/index.mjs')
  const found = new Map()
  for (const [, names, file] of readFileSync(index, 'utf8').matchAll(
    /import \{([^}]*)\} from "([^"]+)";/g,
  )) {
    const from = file.startsWith('.') ? join(dirname(index), file) : file
    for (const name of names.split(',')) found.set(name.trim(), from)
  }
  return found
}

/** What the index does not say the file of, such as a type, stays as it is. */
function split(names, library, files) {
  const given = names.split(',').map((name) => name.trim())
  return given
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const file = files.get(name.split(/\s+as\s+/)[0])
      return `import { ${name} } from ${JSON.stringify(file ?? library)};`
    })
    .join(' ')
}
