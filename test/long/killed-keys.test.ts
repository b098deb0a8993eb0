import { killedKeys } from '../contract/foundation/killed-keys.ts'

killedKeys(30)
