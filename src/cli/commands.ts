import type { Command } from './command.ts'
import { backup } from './commands/backup.ts'
import { config } from './commands/config.ts'
import { doctor } from './commands/doctor.ts'
import { gatewayExport } from './commands/gateway-export.ts'
import { gatewayImport } from './commands/gateway-import.ts'
import { importRecords } from './commands/import.ts'
import { importStrapi } from './commands/import-strapi.ts'
import { keysIssue } from './commands/keys-issue.ts'
import { migrate } from './commands/migrate.ts'
import { move } from './commands/move.ts'
import { restore } from './commands/restore.ts'
import { scrape } from './commands/scrape.ts'
import { secretsReset } from './commands/secrets-reset.ts'
import { start } from './commands/start.ts'
import { types } from './commands/types.ts'
import { usersPassword } from './commands/users-password.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  start,
  config,
  doctor,
  importStrapi,
  importRecords,
  types,
  scrape,
  migrate,
  backup,
  restore,
  move,
  gatewayExport,
  gatewayImport,
  keysIssue,
  secretsReset,
  usersPassword,
]
