import { killedServer } from './kill.ts'

killedServer('sqlite')
