import { killedKeys } from './killed-keys.ts'

killedKeys(3)
