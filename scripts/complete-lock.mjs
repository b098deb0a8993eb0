// npm leaves packages for other platforms out of the lock file when the registry it asks does not have
// them, and `npm ci` then refuses the file everywhere. This adds what is missing: name, version and
// platform are all that npm needs to pass over a package, or to fetch it where it fits.
//   npm run lock              completes package-lock.json
//   npm run lock -- --check   only says whether it is complete
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony', 'netbsd', 'sunos']
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32', 'arm']
const SYSTEM_ALIASES = { windows: 'win32' }

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = findMissing(lock.packages)
if (missing.length === 0) process.exit(0)
if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.length} packages of other platforms, such as`)
  console.error(`${missing[0].name}. Run "npm run lock" and commit the file.`)
  process.exit(1)
}
for (const { name, entry } of missing) lock.packages[`node_modules/${name}`] = entry
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
)
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`added ${missing.length} packages of other platforms to package-lock.json`)

function findMissing(packages) {
  return Object.values(packages).flatMap((owner) =>
    Object.entries(owner.optionalDependencies ?? {})
      .filter(([name]) => !packages[`node_modules/${name}`] && isForeign(name))
      .map(([name, version]) => ({ name, entry: toEntry(name, version, owner) })),
  )
}

function toEntry(name, version, owner) {
  const { system, processor } = platformOf(name)
  return {
    version: version.replace(/^[~^]/, ''),
    ...(processor ? { cpu: [processor] } : {}),
    ...(owner.dev ? { dev: true } : {}),
    optional: true,
    ...(system ? { os: [system] } : {}),
  }
}

function isForeign(name) {
  const { system, processor } = platformOf(name)
  return system !== undefined || processor !== undefined
}

function platformOf(name) {
  const words = name.split(/[/-]/).map((word) => SYSTEM_ALIASES[word] ?? word)
  return {
    system: SYSTEMS.find((each) => words.includes(each)),
    processor: PROCESSORS.find((each) => words.includes(each)),
  }
}
