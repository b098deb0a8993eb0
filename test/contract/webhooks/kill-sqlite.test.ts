import { killedServer } from './kill.ts'

killedServer('sqlite', { kills: 4, events: 400 })
