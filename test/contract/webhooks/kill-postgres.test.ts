import { killedServer } from './kill.ts'

killedServer('postgres', { kills: 4, events: 400 })
