import { killedServer } from './kill.ts'

killedServer('postgres')
